// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell.
import fc from 'fast-check'

const openings = [
  ...["cat <<'E'", "cat <<'E'", "cat <<'E'", 'cat <<E', 'cat <<"E"', "cat  << 'E' ", "cat <<-'E'"],
  ...[
    "cat - <<'E'",
    "cat a <<'E'",
    "cat <<'E' | cat",
    "cat <<'E'; evil",
    "cat <<'E' >out",
    'cat <<\\E',
  ],
  ...[
    "cat <<'E' <<'F'",
    "cat <<'E' &",
    "cat 3<<'E'",
    "cat <<$'E'",
    'tac <<E',
    "x=1 cat <<'E'",
    'cat <<E"F"',
  ],
]

const lines = [
  ...[
    'fix: a',
    'two words',
    "it's",
    "don't 'x'",
    '"quoted" x',
    '(a)',
    ')',
    '(',
    '`evil`',
    '$(evil)',
    '$x',
  ],
  ...[
    ')"; evil; echo "$(echo',
    '"; evil; "',
    "'; evil; '",
    '# x',
    "# ' )",
    '#)',
    '\\',
    'a\\',
    '\\$(evil)',
    '$$',
  ],
  ...[
    'E ',
    ' E',
    'E)',
    'E)"',
    'EE',
    '\tE',
    '',
    '',
    'E',
    '--amend',
    '-c',
    '.env',
    '../a',
    'src/a',
    '<<F',
    '${x}',
  ],
  ...[
    '"',
    "'",
    '`',
    '$',
    '"$(',
    "$'",
    '((',
    'case x in a) ;; esac',
    '&& evil',
    'a: b/c',
    'E\\',
    '"#',
    "x#'",
  ],
]

const endings = [
  ...['\nE\n)', '\nE\n)', '\nE\n)', '\nE\n\n )', '\nE)', '\nE\n; evil)', '\n E\n)', '\nE\nevil)'],
]

const before = ['', '', '', '-m x ', '-m ', "'a' ", '$x ', 'a"b" ', 'b> ']
const around = [
  '"@"',
  '"@"',
  '"@"',
  '"a @ b"',
  '"\\"@"',
  '"@$x"',
  '"@""@"',
  '\'a\'"@"',
  '@',
  'x=@',
  '"\\x@\\$"',
  '`@`',
]
const behind = [
  ...[
    '',
    '',
    '',
    '; echo',
    " && echo 'x'",
    '; echo \'x)"; evil; "\'',
    "; echo '; evil; '",
    '; echo "; evil; "',
  ],
  ...['\necho a', " # '", ' | cat', ' "', " '", ' `', ')', ' \'x)" evil'],
]

function often(usual: string, others: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof({ arbitrary: fc.constant(usual), weight: 3 }, fc.constantFrom(...others))
}

/** Commands that are given a text by a here-document for `cat`, or something that looks like one. */
export const hereText: fc.Arbitrary<string> = fc
  .record({
    program: fc.constantFrom('git commit ', 'git ', 'echo ', 'cat ', 'printf ', 'cd ', ''),
    front: often('', before),
    opening: often("cat <<'E'", openings),
    body: fc.array(fc.constantFrom(...lines), { maxLength: 3 }),
    ending: often('\nE\n)', endings),
    form: often('"@"', around),
    rest: often('', behind),
  })
  .map(({ program, front, opening, body, ending, form, rest }) => {
    const text = `$(${opening}\n${body.join('\n')}${ending}`
    return program + front + form.replaceAll('@', () => text) + rest
  })

const globs = [
  ...[
    '*',
    '?',
    'a*',
    'src/*',
    'src/?',
    './*',
    '*.md',
    'src/*.md',
    '[ab]',
    'src/[a-z]',
    'p*',
    '*.e?v',
    'prod.*',
    '-*',
    '../*',
  ],
  ...[
    '*/a',
    's*/*',
    '.*',
    '.e*',
    'src/../*',
    '~/*',
    '[!x]*',
    '{a,b}*',
    'src/x*',
    "'a'*",
    '"$x"*',
    'src/*.e*',
    '*=*',
    '@*',
  ],
]

/** Commands that are given files by wildcards. */
export const globText: fc.Arbitrary<string> = fc
  .record({
    place: fc.constantFrom('', '', '', 'cd src && ', 'cd src; ', 'cd .. && ', 'ls && '),
    program: fc.constantFrom(
      'cat',
      'head',
      'sort',
      'grep x',
      'grep',
      'grep -e',
      'sed -n 1p',
      'sed',
      'wc',
      'ls',
      'git',
    ),
    option: fc.constantFrom('', '', '', '--', '-n', '-n --', '-e', 'a', 'a --'),
    words: fc.array(fc.constantFrom(...globs), { minLength: 1, maxLength: 2 }),
    rest: fc.constantFrom('', '', ' | cat', ' > out', '; ls', ' && cat a'),
  })
  .map(({ place, program, option, words, rest }) => {
    const parts = [program, option, ...words].filter((part) => part !== '')
    return place + parts.join(' ') + rest
  })
