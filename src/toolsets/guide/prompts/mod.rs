//! The prompts of the guide toolset. How one is written: `README.md` beside this file.

pub mod guide;
