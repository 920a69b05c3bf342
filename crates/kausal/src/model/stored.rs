//! Models as bytes: translated here, run elsewhere (see [`stored`](crate::stored)).

use std::sync::{Arc, Mutex, OnceLock};

use kausal_codegen::Backend;
use kausal_syntax::{Diagnostic, Sources};
use kausal_translate::stored;

use super::{Base, Made, Model};
use crate::error::{Error, ErrorKind};
use crate::internal::guarded;
use crate::session::Session;

impl Model {
    /// The translated model as bytes, for files and other machines.
    ///
    /// ```
    /// use kausal::Model;
    /// let model = Model::load("Kausal.Examples.RC")?.with("capacitor.C", 0.002)?;
    /// let same = Model::from_stored(&model.store()?)?;
    /// assert_eq!(same.simulate()?.last("capacitor.v"), model.simulate()?.last("capacitor.v"));
    /// # Ok::<(), kausal::Error>(())
    /// ```
    pub fn store(&self) -> Result<Vec<u8>, Error> {
        let model = self.settled()?;
        let program = model.program()?;
        let session = self.base.session();
        let bytes = stored::write(program, &model.flat, &self.base.options, session.sources());
        bytes.map_err(|why| {
            let d = Diagnostic::error("K0916", format!("{} cannot be stored: {why}", program.name));
            Error::new(ErrorKind::Output, vec![d], session.sources())
        })
    }

    /// A model that was stored. What runs first is made of it now; another value of a structural parameter needs its classes,
    /// which are not stored.
    pub fn from_stored(bytes: &[u8]) -> Result<Model, Error> {
        let wrong = |error: &stored::StoredError| {
            let d = Diagnostic::error("K0917", format!("the stored model {error}"));
            let d = d.help("store the model again with this version");
            Error::new(ErrorKind::Model, vec![d], &Sources::default())
        };
        let mut stored = stored::read(bytes).map_err(|error| wrong(&error))?;
        let flat = Arc::new(stored.rest.flat().map_err(|error| wrong(&error))?);
        let program = std::mem::take(&mut stored.program);
        let options = stored.options.clone();
        let mut session = Session::new();
        session.adopt_stored(stored);
        let compiled = guarded(|| session.compile(program, Backend::Auto));
        let mut said = session.take_diagnostics();
        let compiled = compiled.unwrap_or_else(|fault| {
            said.push(fault);
            None
        });
        let Some(compiled) = compiled else {
            return Err(Error::new(ErrorKind::Model, said, session.sources()));
        };
        let made = OnceLock::from(Ok(Made { compiled: Arc::new(compiled), said }));
        let base = Base { session: Mutex::new(session), flat: flat.clone(), options, backend: Backend::Auto };
        Ok(Model {
            base: Arc::new(base),
            settings: Vec::new(),
            tuned: Vec::new(),
            overrides: Arc::default(),
            flat,
            made: Arc::new(made),
            said: Arc::from([]),
        })
    }
}
