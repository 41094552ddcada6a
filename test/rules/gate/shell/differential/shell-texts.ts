// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell.
import fc from 'fast-check'
import { globText, hereText } from './known-texts.ts'

interface Parts {
  list: string
  text: string
}

const programs = 'ls git cat wc echo printf true ls git echo'.split(' ')
const oddPrograms = [
  ...'rm evil sh eval env cd export test [ : $x l""s "ls" \\ls exec command set unset read time ! exit'.split(
    ' ',
  ),
]
const plainWords = ["'x y'", '"x y"', ...'a b -l src src/a x=1 out HEAD -- --oneline'.split(' ')]
const moves = [
  ...['cd src', 'cd src/deep', 'cd ..', 'cd ../..', 'cd gone', 'cd', 'cd -', 'cd ~', 'cd ./src/..'],
  ...[
    'pushd src',
    'popd',
    'cd -L src',
    'cd -- src',
    'cd -P src',
    'cd src/../..',
    'cd src && cd ..',
  ],
]
const pathWords = '../a ../src/a ../../a ../../../a ../.env a ../out deep/../a'.split(' ')
const oddWords = [
  ...'.env $x ${x} "$x" $? * src/* ? {a,b} ~ #x a#b \\; \\" $((1)) .. ! ] } { then done in do fi esac'.split(
    ' ',
  ),
  ...'%n -v PATH $ {} ${x:-a} ${x@P} ${!x} src/../a \'a"b\' "a\'b" .e* [.]env ; & | ) ( \' " ` \\'.split(
    ' ',
  ),
  "$'a'",
  '\\ ',
]
const redirections = [
  ...'>out >>out 2>out1 <a <.env &>out 2>&1 >&2 <>out >$x >|out <<<x >&out >b >src/out 2>/dev/null'.split(
    ' ',
  ),
  '> out',
  '> "out 2"',
  '<<E\nx\nE\n',
]
const assignments = 'A=1 PATH=. CI=1 IFS=x LC_ALL=C CI=$(evil) A=(x) CI="x'.split(' ')
const joints = [
  ...[';', ' && ', ' || ', ' | ', '\n', ' |& ', ' & ', '; '],
  ...[' # c\n', " # it's\n", ' #"\n', ';#`\n', ' \\\n', ' && \n', '\n\n'],
]

function compound(list: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const shapes = [
    ...['(@)', '{ @; }', '! @', 'time @', 'if @; then @; fi', 'if @; then @; else @; fi'],
    ...['while false; do @; done', 'until true; do @; done', 'for f in a b; do @; done'],
    ...[
      'for f in $(@); do echo $f; done',
      'case a in a) @;; esac',
      'f() { @; }; f',
      '[[ a ]] && @',
    ],
    ...['(@) > out', '{ @; } 2> out', 'for f in src/*; do @; done | cat', 'if @\nthen @\nfi'],
    ...['(( 1 )) && @', 'coproc @', 'for ls in a; do @; done', '(@ # c\n)', '((@))', '{@;}'],
  ]
  return fc
    .tuple(fc.constantFrom(...shapes), fc.array(list, { minLength: 3, maxLength: 3 }))
    .map(([shape, lists]) => {
      let at = 0
      return shape.replaceAll('@', () => lists[at++ % 3] ?? '')
    })
}

interface Mutation {
  readonly at: number
  readonly kind: 'insert' | 'remove' | 'double'
  readonly sign: string
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(60),
  kind: fc.constantFrom('insert', 'remove', 'double'),
  sign: fc.constantFrom(...'\'"`$(){}[]<>|&;#\\!*?~= \n\t', '$(', '${', '<<', "$'", '((', ' #'),
})

function mutate(text: string, { at, kind, sign }: Mutation): string {
  const place = at % (text.length + 1)
  if (kind === 'insert') return text.slice(0, place) + sign + text.slice(place)
  const rest = kind === 'remove' ? text.slice(place + 1) : text.slice(place - 1)
  return text.slice(0, place) + rest
}

/** Texts made like shell scripts, right and wrong: what a parser and bash may read in two ways. */
export const shellText: fc.Arbitrary<string> = fc.letrec<Parts>((tie: fc.LetrecTypedTie<Parts>) => {
  const word = fc.oneof(
    { arbitrary: fc.constantFrom(...plainWords), weight: 8 },
    { arbitrary: fc.constantFrom(...oddWords), weight: 2 },
    {
      arbitrary: fc
        .tuple(fc.constantFrom(['$(', ')'], ['"$(', ')"'], ['`', '`'], ['<(', ')']), tie('list'))
        .map(([[open, close], list]) => `${open}${list}${close}`),
      weight: 1,
    },
  )
  const moved = fc
    .tuple(
      fc.constantFrom(...moves),
      fc.constantFrom(...joints),
      fc.constantFrom('cat', 'ls', 'wc', 'echo x >'),
      fc.constantFrom(...pathWords),
    )
    .map(([move, sign, program, path]) => `${move}${sign}${program} ${path}`)
  const part = fc.oneof(
    { arbitrary: word, weight: 6 },
    { arbitrary: fc.constantFrom(...redirections), weight: 1 },
  )
  const simple = fc
    .tuple(
      fc.oneof({ arbitrary: fc.constant(''), weight: 8 }, fc.constantFrom(...assignments)),
      fc.oneof(
        { arbitrary: fc.constantFrom(...programs), weight: 8 },
        fc.constantFrom(...oddPrograms),
      ),
      fc.array(part, { maxLength: 3 }),
    )
    .map(([assignment, program, parts]) => [assignment, program, ...parts].join(' ').trimStart())
  const command = fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: simple, weight: 6 },
    { arbitrary: moved, weight: 1 },
    { arbitrary: hereText, weight: 1 },
    { arbitrary: globText, weight: 1 },
    { arbitrary: compound(tie('list')), weight: 2 },
  )
  return {
    list: fc
      .tuple(command, fc.array(fc.tuple(fc.constantFrom(...joints), command), { maxLength: 2 }))
      .map(([first, others]) => first + others.map(([sign, next]) => sign + next).join('')),
    text: fc
      .tuple(tie('list'), fc.array(mutation, { maxLength: 1 }))
      .map(([list, changes]) => changes.reduce((text, change) => mutate(text, change), list)),
  }
}).text
