import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Certificates {
  /** Of the authority that signed. */
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** A certificate for these names, signed by an authority of its own; made anew each time. */
export async function createCertificates(names: readonly string[]): Promise<Certificates> {
  const place = await mkdtemp(join(tmpdir(), 'certificates-'))
  const openssl = (...args: readonly string[]) => run('openssl', args, { cwd: place })
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  try {
    await openssl(
      ...['req', '-x509', ...fresh, '-subj', '/CN=Test authority', '-days', '2'],
      ...['-keyout', 'ca.key', '-out', 'ca.pem'],
    )
    await openssl('req', ...fresh, '-subj', '/CN=test', '-keyout', 'key', '-out', 'request')
    const extensions = `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`
    await writeFile(join(place, 'extensions'), extensions)
    await openssl(
      ...['x509', '-req', '-in', 'request', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-days', '2', '-extfile', 'extensions', '-out', 'cert'],
    )
    const [ca, cert, key] = await Promise.all(
      ['ca.pem', 'cert', 'key'].map((name) => readFile(join(place, name), 'utf8')),
    )
    return { ca: ca ?? '', cert: cert ?? '', key: key ?? '' }
  } finally {
    await rm(place, { recursive: true })
  }
}
