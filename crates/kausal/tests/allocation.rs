//! Evaluating a model allocates nothing: formulas, linear and nonlinear systems, functions, tables.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use kausal::{Backend, Session, Settings};
use kausal_runtime::{Machine, Mode, Observer};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

// SAFETY: every call is passed on unchanged to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MODEL: &str = "
function split
  input Real x; output Real whole; output Real part;
algorithm
  part := x; whole := 0;
  while part >= 1 loop part := part - 1; whole := whole + 1; end while;
end split;
class Table
  extends ExternalObject;
  function constructor
    input String file; input String name; input Real table[:, 2]; input Integer columns[1];
    output Table table_;
    external \"C\" table_ = ModelicaStandardTables_CombiTable1D_init2(file, name, table, size(table, 1), size(table, 2),
      columns, 1, 1, 2, 0);
  end constructor;
  function destructor input Table table_;
    external \"C\" ModelicaStandardTables_CombiTable1D_close(table_);
  end destructor;
end Table;
function look
  input Table table_; input Integer column; input Real u; output Real y;
  external \"C\" y = ModelicaStandardTables_CombiTable1D_getValue(table_, column, u);
end look;
model M
  Table table = Table(\"NoName\", \"NoName\", [0, 0; 1, 10; 2, 40], {2});
  Real x[2](start = {0.3, 0.7}, each fixed = true);
  Real a[5], z(start = 1), w(start = 1), whole, part, y;
equation
  for i in 1:5 loop
    (6 + sin(x[1]))*a[i] + sum(a[j]*(if i == j then 1 else 0.1*x[2] + i/(i + j)) for j in 1:5) = x[2] + i;
  end for;
  z^3 + w + 0.2*sin(w*z) = x[1] + 3;
  w + exp(0.1*z*w) = x[2] + 2;
  (whole, part) = split(5 + x[1]);
  y = look(table, 1, x[1]);
  der(x[1]) = -a[1]*x[2] + z + whole;
  der(x[2]) = w - a[5] + part + y;
end M;";

/// What is measured where the initial values are there.
#[derive(Default)]
struct Measure {
    start: Option<(Vec<f64>, f64)>,
}

impl Observer for Measure {
    fn record(&mut self, machine: &Machine) {
        self.start.get_or_insert_with(|| (machine.values.clone(), machine.time));
    }

    fn proceed(&mut self, _: f64) -> bool {
        false
    }
}

#[test]
fn evaluation_allocates_nothing() {
    let mut session = Session::new();
    session.add_text("M.mo", MODEL);
    let flat = session.flatten("M").expect("a model");
    let program = session.translate(&flat, &Default::default()).expect("a program");
    let model = Arc::new(session.compile(program, Backend::Jit).expect("code"));
    let mut measure = Measure::default();
    let (_, outcome) = kausal_runtime::simulate(model.clone(), &Settings::default(), &mut measure);
    let (values, time) = measure.start.unwrap_or_else(|| panic!("{outcome:?}"));
    let mut machine = Machine::new(model.clone());
    machine.run(&model.parameters, Mode::Initial).expect("parameters");
    (machine.values, machine.time) = (values, time);
    machine.run(&model.dynamics, Mode::Continuous).expect("dynamics");
    // 10*0.3 from the first line of the table.
    let y = flat.variables.iter().position(|v| v.name == "y").expect("y");
    assert!((machine.value(kausal_symbolic::VarId(y as u32)) - 3.0).abs() < 1e-9);
    let before = ALLOCATIONS.with(Cell::get);
    for k in 0..100 {
        machine.values[model.program.states[0].variable.index()] = 0.3 + 1e-3 * f64::from(k);
        machine.run(&model.dynamics, Mode::Continuous).expect("dynamics");
    }
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0);
}
