const known: ReadonlySet<string> = new Set(
  (
    'add am annotate apply archive blame branch bundle cat-file check-ignore checkout cherry cherry-pick clean clone ' +
    'commit count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep ' +
    'help init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes prune pull push range-diff rebase ' +
    'reflog remote repack reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout ' +
    'hash-object patch-id stripspace check-attr check-ref-format check-mailmap verify-tag verify-pack merge-tree pack-refs ' +
    'stash status submodule switch symbolic-ref tag update-index var verify-commit version whatchanged worktree lfs'
  ).split(' '),
)

const harmlessGlobals: ReadonlySet<string> = new Set([
  '--no-pager',
  '-P',
  '--version',
  '--help',
  '-h',
  '--no-optional-locks',
  '--literal-pathspecs',
])

const riskyLong =
  'output output-directory unsafe-paths ext-diff textconv open-files-in-pager upload-pack receive-pack exec template config separate-git-dir web'.split(
    ' ',
  )

/** Short options that run something or write a file, by subcommand. */
const riskyShort: Readonly<Record<string, string>> = {
  grep: 'O',
  rebase: 'xi',
  clone: 'uc',
  archive: 'o',
  help: 'w',
  'hash-object': 'w',
  'format-patch': 'o',
}

/** The reason why a git command may run other programs: its options, an alias, or the subcommand. */
export function gitHazard(words: readonly string[]): string | undefined {
  const at = words.findIndex((word, index) => index > 0 && !word.startsWith('-'))
  const globals = words.slice(1, at === -1 ? undefined : at)
  const global = globals.find((word) => !harmlessGlobals.has(word))
  if (global !== undefined) return `git ${global} can change what git runs`
  const subcommand = words[at]
  if (at === -1 || subcommand === undefined) return undefined
  const rest = words.slice(at + 1)
  if (subcommand === 'config' && readsConfig(rest)) return undefined
  if (subcommand === 'bisect' && bisects.test(rest.join(' '))) return undefined
  if (!known.has(subcommand)) return `git ${subcommand} may be an alias or run programs`
  if (subcommand === 'submodule' && rest.includes('foreach'))
    return 'git submodule foreach runs commands'
  if (
    /^(?:bundle create|submodule (?:add|set-url)|lfs (?:install|uninstall|update|migrate|track \S|untrack))/.test(
      `${subcommand} ${rest.slice(0, 2).join(' ')}`,
    )
  )
    return `git ${subcommand} ${rest[0]} writes files or settings`
  const strategy = strategyOf(subcommand, rest)
  if (strategy !== undefined && !strategies.has(strategy))
    return `git runs a program for the strategy ${strategy}`
  const option = rest.find((word) => isRisky(word, subcommand))
  return option === undefined ? undefined : `git ${subcommand} ${option} can run or write something`
}

const strategies: ReadonlySet<string> = new Set(
  'ours theirs resolve recursive ort octopus subtree'.split(' '),
)

/** `merge -s x` runs `git-merge-x`. */
function strategyOf(subcommand: string, rest: readonly string[]): string | undefined {
  if (!/^(?:merge|rebase|pull|cherry-pick|revert)$/.test(subcommand)) return undefined
  for (const [at, word] of rest.entries()) {
    const attached = /^--st[a-z]*=(.*)$/.exec(word)?.[1] ?? /^-s(.+)$/.exec(word)?.[1]
    if (attached !== undefined) return attached
    const isShort = word === '-s' && !/^(?:cherry-pick|revert)$/.test(subcommand)
    if (isShort || /^--st[ra][a-z]*$/.test(word)) {
      if (!/^--sta/.test(word)) return rest[at + 1] ?? ''
    }
  }
  return undefined
}

/** Without `run`, `replay` and `visualize`, which start commands and programs. */
const bisects = /^(?:log|(?:start|good|bad|old|new|skip|reset)(?: [\w.~^/][\w.~^/-]*)*)$/

const scope = /^--(?:global|local)$/

function readsConfig(words: readonly string[]): boolean {
  const [first = '', ...rest] = scope.test(words[0] ?? '') ? words.slice(1) : words
  if (rest.length === 0 && /^[A-Za-z][\w-]*\.[\w.-]+$/.test(first)) return true
  return /^(?:--get|--get-all|--list|-l)$/.test(first) && !rest.some((word) => word.startsWith('-'))
}

function isRisky(word: string, subcommand: string): boolean {
  if (/(?:^|=)[a-z][a-z0-9+.-]*::/i.test(word)) return true
  // A host or path that starts with a dash is an option for the connecting program.
  if (/^(?:[a-z+]+:\/\/)?(?:[^/@]*@)?-o|(?:\/\/|@)-/i.test(word))
    return !/^-o(?:$|[^A-Z])/.test(word)
  if (/(?:^|[=/])\.git(?:\/|$)/i.test(word) && !/^https?:|^git@|^ssh:/.test(word)) return true
  if (/^--rebase=i/.test(word)) return true
  // A list of steps may contain `exec`.
  if (subcommand === 'rebase' && /^--(?:int|ed)/.test(word)) return true
  const long = /^--([^=]+)/.exec(word)?.[1]
  if (long === 'text') return false
  if (long !== undefined) return riskyLong.some((name) => name.startsWith(long))
  const short = /^-([A-Za-z]+)/.exec(word)?.[1]
  const letters = Object.hasOwn(riskyShort, subcommand) ? (riskyShort[subcommand] ?? '') : ''
  return short !== undefined && [...short].some((letter) => letters.includes(letter))
}
