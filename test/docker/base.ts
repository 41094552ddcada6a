import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '../../src/util/digest.ts'
import { run } from './run.ts'

/** What the images need, and for its stand-in a Redis; no Node. */
const packages = 'bash,bubblewrap,passwd,redis-server,ripgrep,tini'

/** Faster, and nothing that a program reads. */
const options = [
  'force-unsafe-io',
  ...['doc', 'locale', 'man', 'zoneinfo'].map((name) => `path-exclude=/usr/share/${name}/*`),
].map((option) => `--dpkgopt=${option}`)

/** A small Debian as a tar file: of this machine's release, from where its own packages come; kept between runs. */
export async function baseTar(): Promise<string> {
  const { uri, release } = await archive()
  const cache = join(homedir(), '.cache', 'countersign-test')
  const args = ['--variant=essential', `--include=${packages}`, ...options]
  const tar = join(cache, `base-${sha256(JSON.stringify([args, uri, release])).slice(0, 12)}.tar`)
  if (existsSync(tar)) return tar
  await mkdir(cache, { recursive: true })
  const draft = await mkdtemp(join(cache, 'draft-'))
  try {
    await run('mmdebstrap', [...args, release, join(draft, 'base.tar'), uri])
    await rename(join(draft, 'base.tar'), tar)
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
