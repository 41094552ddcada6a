import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sha256 } from '../../../util/digest.ts'
import { stageFolder } from '../stage-folder.ts'

/** User and group inside every box. */
export const boxUid = 1000

const files: Readonly<Record<string, string>> = {
  passwd: `root:x:0:0:root:/root:/bin/sh
box:x:${boxUid}:${boxUid}:box:/workspace:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/bin/false
`,
  group: `root:x:0:
box:x:${boxUid}:
nogroup:x:65534:
`,
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
  hosts: '127.0.0.1 localhost countersign\n::1 localhost\n',
  hostname: 'countersign\n',
}

/**
 * Parts of the host's `/etc` that programs need and that contain no secrets: certificates, time zone, alternatives, libraries.
 */
const fromHost = [
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/etc/ca-certificates',
  '/etc/localtime',
  '/etc/alternatives',
  '/etc/ld.so.cache',
]

/**
 * Writes the synthetic `/etc` of boxes below `cacheDir` and returns the bubblewrap arguments that mount it. Files are never
 * replaced: bubblewrap fails if the file that it is mounting is replaced at that moment by another process that starts.
 */
export async function syntheticEtc(cacheDir: string): Promise<readonly string[]> {
  const version = sha256(JSON.stringify(files)).slice(0, 16)
  const dir = await stageFolder(cacheDir, `etc-${version}`, writeFiles)
  return [
    ...['--dir', '/etc'],
    ...Object.keys(files).flatMap((name) => ['--ro-bind', join(dir, name), `/etc/${name}`]),
    ...fromHost.flatMap((path) => bindExisting('--ro-bind-try', path, path)),
  ]
}

/**
 * Bubblewrap arguments for a mount whose directories above everybody in the box may enter: by itself bubblewrap makes them for
 * root alone. None if `host` does not exist.
 */
export function bindExisting(option: string, host: string, box: string): readonly string[] {
  return existsSync(host) ? [...dirsTo(dirname(box)), option, host, box] : []
}

function dirsTo(dir: string): readonly string[] {
  return dir === '/' ? [] : [...dirsTo(dirname(dir)), '--dir', dir]
}

async function writeFiles(dir: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(dir, name), text)
    // Whatever the umask is, since boxes may run as another user.
    await chmod(join(dir, name), 0o644)
  }
}
