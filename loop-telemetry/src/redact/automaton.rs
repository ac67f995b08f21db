//! Finds many patterns at once, byte by byte (Aho-Corasick).
//!
//! The existing crates search whole texts. A stream also needs to know how many of the last bytes may become a match.
//! That is the depth of the current state, which those crates do not expose.

/// The state before the first byte of a pattern.
pub(super) const ROOT: u32 = 0;

/// A state: the text so far ends with this prefix of a pattern.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    byte: u8,
    /// The first child of this node, and its next sibling; [`ROOT`] if there is none.
    child: u32,
    sibling: u32,
    /// The node of the longest other prefix that this one ends with.
    fail: u32,
    depth: u32,
    /// The length of the longest pattern that ends here; 0 if none does.
    hit: u32,
    /// The label of the pattern that ends here, plus one; 0 if it has none.
    label: u16,
}

/// Finds patterns, some of which have a label.
#[derive(Debug)]
pub(super) struct Automaton {
    nodes: Vec<Node>,
    root: Box<[u32; 256]>,
}

impl Automaton {
    /// Creates an automaton for these patterns, which must not be empty.
    pub(super) fn new<'a>(patterns: impl IntoIterator<Item = (&'a [u8], Option<u16>)>) -> Self {
        let mut automaton = Self { nodes: vec![Node::default()], root: Box::new([ROOT; 256]) };
        for (pattern, label) in patterns {
            automaton.add(pattern, label);
        }
        automaton.link();
        automaton
    }

    fn add(&mut self, pattern: &[u8], label: Option<u16>) {
        let mut at = ROOT;
        for (byte, depth) in pattern.iter().zip(1..) {
            at = match self.child(at, *byte) {
                Some(child) => child,
                None => self.grow(at, *byte, depth),
            };
        }
        let node = &mut self.nodes[at as usize];
        match label {
            Some(label) => node.label = label + 1,
            None => node.hit = node.depth,
        }
    }

    fn grow(&mut self, parent: u32, byte: u8, depth: u32) -> u32 {
        let new = u32::try_from(self.nodes.len())
            .unwrap_or_else(|_| panic!("there are too many secrets to look for"));
        let sibling = std::mem::replace(&mut self.nodes[parent as usize].child, new);
        self.nodes.push(Node { byte, sibling, depth, ..Node::default() });
        if parent == ROOT {
            self.root[usize::from(byte)] = new;
        }
        new
    }

    /// Links each node to the node that continues if no child matches, level by level.
    fn link(&mut self) {
        let mut level: Vec<u32> = self.children(ROOT).collect();
        while !level.is_empty() {
            let mut next = Vec::new();
            for parent in level {
                for child in self.children(parent).collect::<Vec<_>>() {
                    let fail = self.step(self.nodes[parent as usize].fail, self.nodes[child as usize].byte);
                    let Node { hit, label, .. } = self.nodes[fail as usize];
                    let node = &mut self.nodes[child as usize];
                    node.fail = fail;
                    node.hit = node.hit.max(hit);
                    node.label = if node.label == 0 { label } else { node.label };
                    next.push(child);
                }
            }
            level = next;
        }
    }

    fn children(&self, of: u32) -> impl Iterator<Item = u32> {
        let some = |node: u32| (node != ROOT).then_some(node);
        std::iter::successors(some(self.nodes[of as usize].child), move |child| {
            some(self.nodes[*child as usize].sibling)
        })
    }

    fn child(&self, of: u32, byte: u8) -> Option<u32> {
        self.children(of).find(|child| self.nodes[*child as usize].byte == byte)
    }

    /// Returns the state after one more byte.
    pub(super) fn step(&self, mut from: u32, byte: u8) -> u32 {
        loop {
            if from == ROOT {
                return self.root[usize::from(byte)];
            }
            match self.child(from, byte) {
                Some(child) => return child,
                None => from = self.nodes[from as usize].fail,
            }
        }
    }

    /// Returns how many of the last bytes may become a match.
    pub(super) fn depth(&self, node: u32) -> usize {
        self.nodes[node as usize].depth as usize
    }

    /// Returns the length of the longest unlabelled pattern that ends here; 0 if none does.
    pub(super) fn hit(&self, node: u32) -> usize {
        self.nodes[node as usize].hit as usize
    }

    /// Returns the label of the pattern that ends here.
    pub(super) fn label(&self, node: u32) -> Option<u16> {
        self.nodes[node as usize].label.checked_sub(1)
    }
}
