import type { FilterRule } from '../filter-rule.ts'

const git = String.raw`^git (?:(?:-[Cc] [^\s-]\S*|--?[a-z]\S*) )*`
const listing = { type: 'truncate', max_lines: 150, head: 100, tail: 30 } as const

/** Rules for git and for programs that list files. */
export const fileRules: readonly FilterRule[] = [
  {
    name: 'git-status',
    match: { regex: `${git}status(?: |$)` },
    strategy: { type: 'git_status' },
  },
  {
    name: 'git-diff',
    match: { regex: `${git}(?:diff|show)(?: |$)` },
    strategy: { type: 'git_diff', max_diff_lines: 500 },
  },
  {
    name: 'git-log',
    match: { regex: `${git}(?:log|reflog|shortlog)(?: |$)` },
    strategy: {
      type: 'truncate',
      max_lines: 160,
      head: 120,
      tail: 20,
      // Commit messages, which may follow a hash and a graph.
      quotes: String.raw`^(?: {4}|[*|\\/_ ]{0,64}[0-9a-f]{7,40} |Author: )`,
    },
  },
  {
    name: 'ls',
    match: { regex: '^(?:ls|ll|dir|exa|eza)(?: |$)' },
    // `ls -R` prints each directory above its entries.
    strategy: { ...listing, headings: [String.raw`^(?:\S.*)?[\w./].*:$`] },
  },
  {
    name: 'find',
    match: { regex: '^(?:find|fd|fdfind|git ls-files)(?: |$)' },
    strategy: listing,
  },
  { name: 'tree', match: { regex: '^tree(?: |$)' }, strategy: listing },
]
