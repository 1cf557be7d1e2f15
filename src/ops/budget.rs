//! The budget of an answer: bytes that may still go into it.

/// Once it is spent, nothing more fits: results are left out from one place on, not here and there.
#[derive(Debug)]
pub struct Budget {
    left: usize,
}

impl Budget {
    /// A budget of so many bytes.
    pub fn of(bytes: usize) -> Self {
        Self { left: bytes }
    }

    /// Spend the weight of one result; whether it still fits.
    pub fn spend(&mut self, weight: usize) -> bool {
        self.left = self.left.saturating_sub(weight);
        !self.is_spent()
    }

    /// Whether nothing more fits.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }
}
