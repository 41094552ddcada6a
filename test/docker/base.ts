import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '../../src/util/sha256.ts'
import { run } from './run.ts'

/** Beside what the Dockerfile asks for, a Redis for its stand-in. No Node. */
const packages = 'bubblewrap,ca-certificates,git,redis-server,ripgrep,tini'

/** Nothing of these is read by a program. */
const left = ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/locale']

/** A small Debian as a tar file: of this machine's release, from where its own packages come; kept between runs. */
export async function baseTar(): Promise<string> {
  const { uri, release } = await archive()
  const cache = join(homedir(), '.cache', 'countersign-test')
  const tar = join(
    cache,
    `base-${sha256(JSON.stringify([uri, release, packages, left])).slice(0, 12)}.tar`,
  )
  if (existsSync(tar)) return tar
  await mkdir(cache, { recursive: true })
  const draft = await mkdtemp(join(cache, 'draft-'))
  try {
    const root = join(draft, 'root')
    await run('debootstrap', ['--variant=minbase', `--include=${packages}`, release, root, uri])
    const exclude = left.map((path) => `--exclude=./${path}/*`)
    await run('tar', [...exclude, '-C', root, '-cf', join(draft, 'tar'), '.'])
    await rename(join(draft, 'tar'), tar)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return tar
}

/** Where apt takes the main packages of this machine's release from. */
async function archive(): Promise<{ readonly uri: string; readonly release: string }> {
  const release = await run('sh', ['-c', '. /etc/os-release; printf %s "$VERSION_CODENAME"'])
  const format = ['indextargets', '--format', '$(REPO_URI) $(RELEASE) $(COMPONENT)']
  const lines = (await run('apt-get', [...format, 'Identifier: Packages'])).split('\n')
  const found = lines.find((line) => line.endsWith(` ${release} main`))
  if (found === undefined) throw new Error(`apt knows no archive of ${release} main`)
  return { uri: found.split(' ')[0] ?? '', release }
}
