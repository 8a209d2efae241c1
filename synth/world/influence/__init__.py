"""Which earlier calls an answer depends on.

Words of this package. Two *equal calls* ask one tool for the same. A *suspect* is a tool that was called before one of them and not before
the other. A suspect is *near* where its call shares a name with the equal calls, else it acts from *afar*. Where the answers differ, the
fewest suspects that explain it are *convicted*; where they agree, each suspect had a *trial* and is *calm*. A tool *heeds* another whose every
call may matter to it, and *ignores* one whose calls never do. One of whom too few calls say so is *untried*.

`dependencies` runs all of it, in this order: `contrast_pairs` (evidence from pairs), `purity_prior` (who is no reader), `independence`
(what the evidence weighs), `sequences` and `repeatability` (what the order of calls says besides).
"""
