// 12.9.7: external objects: made by their constructor, passed to functions.
package Tables
  class Table
    extends ExternalObject;
    function constructor
      input String file;
      input Real data[:];
      output Table table;
      external "C" table = table_open(file, data, size(data, 1));
    end constructor;
    function destructor
      input Table table;
      external "C" table_close(table);
    end destructor;
  end Table;
  function value
    input Table table;
    input Real u;
    output Real y;
    external "C" y = table_value(table, u);
  end value;
end Tables;
model FunctionsExternalObject
  Tables.Table table = Tables.Table("none", {1, 2, 3});
  Real y = Tables.value(table, time);
end FunctionsExternalObject;
