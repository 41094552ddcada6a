import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'

/** What happened when bash ran a text. */
export interface Recorded {
  /** Every program that bash looked for, with its arguments. */
  readonly started: readonly (readonly string[])[]
  /** Where each of them was started, from the text's own directory. */
  readonly places: readonly string[]
  /** Files that were made or changed, from the text's own directory. */
  readonly written: readonly string[]
}

const files: Readonly<Record<string, string>> = {
  ...{ a: 'in', b: 'in', '.env': 'in', 'src/a': 'in' },
  // What wildcards may find.
  ...{
    'prod.env': 'in',
    'src/x.env': 'in',
    '-rf.md': 'in',
    '-n': 'in',
    'a=b.md': 'in',
    'src/-x.md': 'in',
  },
  ...{ 'b $(evil);x.md': 'in', 'src/a.md': 'in' },
}

/**
 * PATH is empty, so that nothing but bash itself runs: what it would have started is written down by the function that
 * it calls for a program it did not find, in one go, as programs of a pipe do so at once. Only `cat` without words gives its
 * input on.
 */
const driver = `
command_not_found_handle() {
  local entry
  builtin printf -v entry '%s\\037' "$CASE" "$(builtin pwd -P)" "$@"
  builtin printf '%s\\036' "$entry" >> /work/log
  case $1 in git) return 1 ;; esac
  if [ "$1" = cat ] && [ $# = 1 ]; then
    while IFS= builtin read -r line; do builtin printf '%s\\n' "$line"; done
  fi
}
export -f command_not_found_handle
export PATH=/nowhere CASE x='a b;evil $(evil) -v *'
CASE=0
while IFS= read -r -d '' text; do
  cd "/work/$CASE"
  ( ulimit -t 1 -f 64; HOME=$PWD exec /usr/bin/bash -c "$text" ) < /dev/null > /dev/null 2>&1
  CASE=$((CASE + 1))
done < /work/texts
`

/** Runs each text by a bash of its own in a directory of its own, all in one box that reaches nothing else. */
export function record(texts: readonly string[]): readonly Recorded[] {
  const work = mkdtempSync(join(tmpdir(), 'gate-differential-'))
  try {
    for (const index of texts.keys()) fill(join(work, String(index)))
    writeFileSync(join(work, 'texts'), texts.map((text) => `${text}\0`).join(''))
    writeFileSync(join(work, 'log'), '')
    const done = spawnSync('bwrap', [...boxed(work), '/usr/bin/bash', '-c', driver], {
      encoding: 'utf8',
      timeout: 300_000,
    })
    if (done.status !== 0) throw new Error(`the box ended with ${done.status}: ${done.stderr}`)
    const started = Map.groupBy(calls(join(work, 'log')), ([index]) => Number(index))
    return texts.map((_, index) => ({
      started: (started.get(index) ?? []).map((call) => call.slice(2)),
      places: (started.get(index) ?? []).map((call) => placeOf(call[1] ?? '/', index)),
      written: changed(join(work, String(index))),
    }))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function placeOf(directory: string, index: number): string {
  return posix.relative(`/work/${index}`, directory) || '.'
}

function fill(directory: string): void {
  mkdirSync(join(directory, 'src/deep'), { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
}

function calls(log: string): readonly (readonly string[])[] {
  const entries = readFileSync(log, 'utf8').split('\x1e').slice(0, -1)
  return entries.map((entry) => entry.split('\x1f').slice(0, -1))
}

function changed(directory: string): readonly string[] {
  const found = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const isChanged = (name: string): boolean => {
    const path = join(directory, name)
    if (lstatSync(path).isDirectory()) return name !== 'src' && name !== 'src/deep'
    return !Object.hasOwn(files, name) || readFileSync(path, 'utf8') !== files[name]
  }
  const lost = Object.keys(files).filter((name) => !found.includes(name))
  return [...found.filter(isChanged), ...lost]
}

function boxed(work: string): readonly string[] {
  const links = ['/bin', '/lib', '/lib64', '/sbin'].filter((path) => existsSync(path))
  return [
    ...['--unshare-all', '--die-with-parent', '--ro-bind', '/usr', '/usr'],
    ...links.flatMap((path) =>
      lstatSync(path).isSymbolicLink()
        ? ['--symlink', `usr${path}`, path]
        : ['--ro-bind', path, path],
    ),
    ...['--proc', '/proc', '--dev', '/dev', '--bind', work, '/work', '--chdir', '/work'],
  ]
}
