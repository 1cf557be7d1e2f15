//! Declared tools: gathered as they are defined, taken once to be registered.

use std::sync::{Mutex, PoisonError};

use crate::toolsets::Definition;

/// Tools that wait to be registered. Safe to share between threads.
#[derive(Default)]
pub struct Declared {
    waiting: Mutex<Vec<Definition>>,
}

impl Declared {
    /// Add a tool; it comes back unchanged.
    pub fn declare(&self, definition: Definition) -> Definition {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(definition.clone());
        definition
    }

    /// All that wait, in the order of their declaration. Nothing waits afterwards.
    pub fn take(&self) -> Vec<Definition> {
        std::mem::take(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolsets::Toolset;

    fn some() -> Definition {
        Toolset::Roots.tools(Default::default()).remove(0)
    }

    /// Ledger: E-012
    #[test]
    fn e_012_a_declared_tool_is_kept_and_comes_back_unchanged() {
        let (declared, tool) = (Declared::default(), some());
        let same = declared.declare(tool.clone());
        assert_eq!(same.name, tool.name);
        assert!(std::ptr::fn_addr_eq(same.run, tool.run), "the tool was wrapped");
        assert_eq!(declared.take().len(), 1);
    }

    /// Ledger: E-013, E-015
    #[test]
    fn e_013_take_gives_all_and_a_second_take_nothing() {
        let declared = Declared::default();
        declared.declare(some());
        declared.declare(some());
        assert_eq!((declared.take().len(), declared.take().len()), (2, 0));
    }

    /// Ledger: E-014
    #[test]
    fn e_014_many_threads_lose_and_double_nothing() {
        let (declared, tool) = (Declared::default(), some());
        let taken = std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..100).for_each(|_| drop(declared.declare(tool.clone()))));
            }
            let taker = scope.spawn(|| (0..100).map(|_| declared.take().len()).sum::<usize>());
            taker.join().unwrap()
        });
        assert_eq!(taken + declared.take().len(), 800);
    }
}
