// expect: K0202
package Lib constant Real c = 1; encapsulated model M Real x = c; end M; end Lib;
