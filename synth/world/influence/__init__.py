"""Which earlier calls an answer depends on.

Words of this package. A *trial* is two recordings of one call by one tool, the *reader*. A *suspect* is a tool that was called before one of
them and not before the other. It is *near* where its call shares a name with what the reader was asked or showed without it, else
it acts from *afar*. Where the answers differ, the fewest suspects that explain it are *convicted*; where they agree, each suspect left the
answer alone. A tool *heeds* another whose every call may matter to it, and *ignores* one whose calls never do. One of whom too
few trials say so is *untried*.

`trials` makes the table, once. `dependencies` reads it, in this order: who is no reader (`purity_prior`, `sequences`), what the trials of all
readers say of a call that one was never tried with (`independence`). `writers` does the same for rows that were seen twice.
"""
