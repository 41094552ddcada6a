import { posix } from 'node:path'
import { listingsOf } from '../../../../../src/rules/gate/paths/judged-paths.ts'
import { factsOf, judgeBash, specOf, workspace } from '../../support/judge-with.ts'
import { type Recorded, record } from './recording-box.ts'

const programs = 'ls git cat wc echo printf true cd head sort grep sed'.split(' ')
const permissions = {
  bash: Object.fromEntries(programs.map((program) => [`${program} *`, 'allow'])),
  read: { '*': 'allow', '*.env': 'deny' },
  write: { '**/out*': 'allow' },
}

/** Which of these texts the gate lets run silently, when these programs and files named `out…` are allowed. */
export function silentOnes(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter(
    (text) => !text.includes('\0') && judgeBash(text, { permissions }).action === 'allow',
  )
}

/** What bash did with silent texts that nobody had allowed; empty when gate and bash read them alike. */
export function surprises(silent: readonly string[]): readonly string[] {
  const texts = silent.filter((text) => !isRefused(text))
  return record(texts).flatMap((recorded, index) =>
    wrongs(texts[index] ?? '', recorded).map(
      (wrong) => `${JSON.stringify(texts[index])}: ${wrong}`,
    ),
  )
}

/** Whether the box would refuse the names that the wildcards of a text stand for. */
function isRefused(text: string): boolean {
  const call = { spec: specOf('bash'), args: { command: text } }
  const looks = listingsOf(call, factsOf({ permissions })).map(
    ({ directory, text: look }) =>
      `cd .${directory.slice(workspace.length)}\n${look.replace(/^printf \S+/, 'git')}`,
  )
  return record(looks).some(({ started }) =>
    started.some((printed) => printed.slice(1).some((name) => /^-|^\w+=|\.env$/.test(name))),
  )
}

/** What bash started, with other words than the gate had told; only for texts in which nothing else expands. */
export function misreadings(texts: readonly string[]): readonly string[] {
  return record(texts).flatMap(({ started }, index) => {
    const text = texts[index] ?? ''
    const { patterns } = judgeBash(text, { permissions })
    return started
      .filter((call) => !patterns.includes(call.join(' ')))
      .map((call) => `${JSON.stringify(text)}: ran ${JSON.stringify(call)}`)
  })
}

/** Words by which a program would do something else than read what the text names. */
function isUnwanted(text: string, [program = '', ...args]: readonly string[]): boolean {
  if (!/^(?:cat|head|sort|grep|sed)$/.test(program)) return false
  const takesOptions = program === 'cat' || program === 'head'
  const operands = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return (
    args.some((arg) => /\.env$/.test(arg)) ||
    (!takesOptions && operands.some((arg) => arg.startsWith('-') && !text.includes(arg)))
  )
}

function wrongs(text: string, { started, places, written }: Recorded): readonly string[] {
  const placeOf = (at: number): string => places[at] ?? '..'
  return [
    ...started.filter(([name = '']) => !programs.includes(name)).map((call) => `ran ${call}`),
    ...started
      .filter(([name = '', ...args], at) =>
        filesOf(name, args).some((arg) => isForbidden(arg, placeOf(at))),
      )
      .map((call) => `opened ${call}`),
    ...started.filter((call) => isUnwanted(text, call)).map((call) => `was made to ${call}`),
    ...places.filter((place) => isForbidden('.', place)).map((place) => `ran in ${place}`),
    ...written.filter((path) => !/(?:^|\/)out[^/]*$/.test(path)).map((path) => `wrote ${path}`),
  ]
}

/** All words but the pattern of `grep`, the script of `sed` and the message of a commit, which are opened by no one. */
function filesOf(name: string, args: readonly string[]): readonly string[] {
  if (name === 'git' && args[0] === 'commit' && args[1] === '-m') return args.toSpliced(2, 1)
  if (!/^(?:grep|sed)$/.test(name) || args.some((arg) => /^-[A-Za-z]*[ef]/.test(arg))) return args
  const at = args.findIndex((arg) => !arg.startsWith('-'))
  return at === -1 ? args : args.toSpliced(at, 1)
}

/** What read rules deny, and what lies outside; `~` is the text's own directory. */
function isForbidden(arg: string, place: string): boolean {
  const own = arg.replace(/^\/work\/\d+(?=\/|$)/, posix.relative(place, '.') || '.')
  const path = own.startsWith('/') ? posix.normalize(own) : posix.join(place, own)
  return /(?:^|\/)\.env$|^\.\.(?:\/|$)|^\//.test(path)
}
