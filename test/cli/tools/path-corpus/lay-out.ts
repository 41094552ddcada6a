import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

const files: Readonly<Record<string, string | Buffer>> = {
  'outside/secret': 'the secret\n',
  'outside/dir/deep': 'the secret\n',
  'outside/linked': 'linked\n',
  'ws-evil/file': 'the secret\n',
  'ref/page.txt': 'reference\n',
  'ref/x.env': 'K=reference\n',
  'second/two.txt': 'two\n',
  'second/keys.env': 'K=the secret\n',
  'ws/plain': 'one\ntwo\nthree\n',
  'ws/sub/deep/leaf': 'leaf\n',
  'ws/.env': 'K=hidden\n',
  'ws/sub/prod.ENV': 'K=hidden\n',
  'ws/private/key': 'hidden\n',
  'ws/private/public/page': 'shown\n',
  'ws/a b.txt': 'space\n',
  'ws/new\nline': 'nl\n',
  'ws/-rf': 'dash\n',
  'ws/~': 'tilde\n',
  'ws/caf\u00e9': 'composed\n',
  'ws/Case': 'upper\n',
  'ws/[x]': 'bracket\n',
  'ws/*': 'star\n',
  'ws/crlf': 'a\r\nb\r\nc',
  'ws/bom': '\ufeffone\ntwo\n',
  'ws/bin': Buffer.from([1, 0, 2, 10]),
  'ws/latin': Buffer.from([0x63, 0xe9, 10]),
  'ws/empty': '',
  'ws/nofinal': 'x\ny',
  'ws/dup': 'x\nx\ny\nx\n',
  'ws/long': `${'a'.repeat(50_000)}\nend\n`,
  'ws/big': `${'x'.repeat(99)}\n`.repeat(110_000),
  'ws/redos': `${'a'.repeat(60)}!\n`,
  'ws/node_modules/m/index.js': 'needle\n',
  'ws/.git/config': 'needle\n',
  'ws/src/a.ts': 'needle\n',
  'ws/src/b.js': 'needle\n',
  'ws/tree/a/b': 'b\n',
}

/** Contents of `ws` and link targets; a leading `/` is the root of the layout, `//` that of the system. */
const links: Readonly<Record<string, string>> = {
  in: 'plain',
  indir: 'sub',
  abs: '/ws/plain',
  absdir: '/ws/sub',
  out: '/outside/secret',
  outdir: '/outside',
  rel: '../outside/secret',
  up: '..',
  dead: 'nowhere',
  deadout: '/outside/new',
  loop: 'loop',
  loopa: 'loopb',
  loopb: 'loopa',
  c1: 'c2',
  c2: 'c3',
  c3: 'plain',
  o1: 'o2',
  o2: 'out',
  toenv: '.env',
  topriv: 'private',
  self: '.',
  root: '//',
  proc: '//proc/self/root',
  evil: '/ws-evil',
  tozero: '//dev/zero',
  tostdin: '//dev/stdin',
  tofifo: 'fifo',
  'sub/mid': '/outside',
  'tree/out': '/outside/secret',
}

/** Creates a workspace `ws` below `root`, and files around it. */
export function layOut(root: string): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const inWorkspace = (path: string) => join(root, 'ws', path)
  mkdirSync(inWorkspace('emptydir'))
  for (const [path, target] of Object.entries(links)) {
    const to = target.startsWith('//') ? target.slice(1) : target.replace(/^\//, `${root}/`)
    symlinkSync(to, inWorkspace(path))
  }
  // For boxes that run as another user.
  chmodSync(join(root, 'second'), 0o777)
  linkSync(join(root, 'outside/linked'), inWorkspace('hard'))
  execFileSync('mkfifo', [inWorkspace('fifo')])
}

/** Returns all files outside the workspace with their content. */
export function around(root: string): Readonly<Record<string, string>> {
  const paths = ['outside', 'ws-evil', 'ref'].flatMap((place) =>
    readdirSync(join(root, place), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]))
}
