// A model writes matrices to a file and reads them again; a second one goes behind the first.
model M
  impure function write
    input String file;
    input String name;
    input Real m[:, :];
    input Boolean append;
    output Boolean success;
    external "C" success = ModelicaIO_writeRealMatrix(file, name, m, size(m, 1), size(m, 2), append, "6");
  end write;
  impure function read
    input String file;
    input String name;
    input Integer rows;
    input Integer cols;
    output Real m[rows, cols];
    external "C" ModelicaIO_readRealMatrix(file, name, m, size(m, 1), size(m, 2), false);
  end read;
  discrete Real back[2, 2](each start = 0, each fixed = true);
  Boolean first(start = false, fixed = true), second(start = false, fixed = true);
algorithm
  when time >= 0.5 then
    first := write("function_files.mat", "a", [1, 2; 3, 8*time], false);
    second := write("function_files.mat", "b", [7], true);
    back := read("function_files.mat", "a", 2, 2);
  end when;
  annotation(experiment(StopTime = 1));
end M;
