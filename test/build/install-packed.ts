import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../build/product.ts'

/** The package as people have it after `npm install --global`. */
export interface Installed extends AsyncDisposable {
  /** Size of the packed file. */
  readonly packedBytes: number
  /** Sizes of all files that npm installed. */
  readonly installedBytes: number
  /** Where npm put it: `bin` and `lib/node_modules`. */
  readonly prefix: string
  /** An empty directory beside it. */
  readonly directory: string
}

const run = promisify(execFile)

/** Packs the checkout as `npm publish` does, and installs that alone; what npm asks a registry for comes from the installed packages. */
export async function installPacked(): Promise<Installed> {
  const place = await mkdtemp(join(tmpdir(), 'packed-'))
  const dispose = () => rm(place, { recursive: true, force: true })
  try {
    const directory = join(place, 'empty')
    const prefix = join(place, 'prefix')
    for (const folder of [directory, prefix]) await mkdir(folder)
    await using registry = await serveInstalled()
    const npm = (args: readonly string[]) => runNpm(args, registry.url, place)
    const { stdout } = await npm(['pack', '--json', `--pack-destination=${place}`])
    const [packed] = Object.values<{ filename: string; size: number }>(JSON.parse(stdout))
    if (packed === undefined) throw new Error('npm packed nothing')
    const file = join(place, packed.filename)
    await npm(['install', '--global', `--prefix=${prefix}`, file])
    await rm(file)
    await rm(join(place, 'cache'), { recursive: true, force: true })
    const packedBytes = packed.size
    const installedBytes = await sizeOf(prefix)
    return { packedBytes, installedBytes, prefix, directory, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Does all that `npm publish` does with these words but send the package, and answers what npm prints. */
export async function tryToPublish(words: readonly string[]): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'published-'))
  try {
    await using registry = await serveInstalled()
    const { stdout, stderr } = await runNpm(
      ['publish', '--dry-run', '--loglevel=notice', ...words],
      registry.url,
      place,
    )
    return stdout + stderr
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/** Runs npm in the checkout, with this registry and its other files in `place`; of our environment it gets no settings of npm. */
async function runNpm(args: readonly string[], registry: string, place: string) {
  const settings = [
    `--registry=${registry}`,
    `--cache=${join(place, 'cache')}`,
    `--userconfig=${join(place, 'npmrc')}`,
    ...['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier'],
  ]
  const env = { PATH: process.env['PATH'] ?? '', HOME: place }
  return run('npm', [...args, ...settings], { cwd: root, env })
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const stats = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))))
  return stats.reduce((sum, { size }) => sum + size, 0)
}

interface Entry {
  readonly version: string
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Serves what `package-lock.json` says of packages, and those that are installed as tar files. */
async function serveInstalled() {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const packages: Readonly<Record<string, Entry>> = lock.packages
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1)
    const name = path.replace(/\.tar$/, '')
    const place = join(root, 'node_modules', name)
    const entry = packages[`node_modules/${name}`]
    if (entry === undefined) response.writeHead(404).end('{}')
    else if (path === name) response.end(JSON.stringify(about(name, entry, url)))
    else if (existsSync(place)) sendTar(place, response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, [Symbol.asyncDispose]: () => stop(server) }
}

function about(name: string, entry: Entry, url: string) {
  const { version, os, cpu, optionalDependencies } = entry
  const dist = { tarball: `${url}/${name}.tar` }
  const versions = { [version]: { name, version, os, cpu, optionalDependencies, dist } }
  return { name, 'dist-tags': { latest: version }, versions }
}

function sendTar(place: string, response: NodeJS.WritableStream): void {
  const packing = spawn('tar', ['-C', dirname(place), '-cf', '-', basename(place)])
  packing.stdout.pipe(response)
}

function stop(server: ReturnType<typeof createServer>): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
