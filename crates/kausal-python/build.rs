//! Where the linker must be told that the interpreter brings what a module does not have (macOS), it is.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
