// expect: K0377 K0377
model M
  class Table
    extends ExternalObject;
    function constructor
      input String name;
      output Table table;
      external "C" table = openTable(name);
    end constructor;
    function third
      output Real y = 1;
    end third;
  end Table;
  Table table = Table("a");
end M;
