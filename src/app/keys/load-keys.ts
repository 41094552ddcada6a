import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { generateKeyPair } from '../../rules/jobs/keys.ts'
import { createSigner, type Signer } from '../../rules/jobs/sign.ts'
import { hasCode } from '../../util/has-code.ts'
import { createFile } from '../../worker/durable-file.ts'

/** Signing key of jobs, and the secret behind enrolment tokens. */
export interface AgentKeys {
  readonly signer: Signer
  readonly enrolmentSecret: string
}

/**
 * DECISIONS 13: loads the signing key from its file, or from one in the data directory that the first start creates
 * (readable by the owner only). Without a configured enrolment secret a random one lasts as long as the process.
 */
export async function loadKeys(config: Config): Promise<AgentKeys> {
  const named = config.signingKeyFile
  const pem = named === undefined ? await ownKey(config.dataDir) : await readFile(named, 'utf8')
  const enrolmentSecret =
    config.secrets.enrolmentSecret?.reveal() ?? randomBytes(32).toString('hex')
  return { signer: createSigner(pem), enrolmentSecret }
}

/** Returns the signing key's path in an embedded product. */
export function signingKeyFile(dataDir: string): string {
  return join(dataDir, 'keys', 'signing-key.pem')
}

async function ownKey(dataDir: string): Promise<string> {
  const file = signingKeyFile(dataDir)
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  await mkdir(join(dataDir, 'keys'), { recursive: true, mode: 0o700 })
  // Created atomically, since another process may start at the same time and a killed one must not leave half a key.
  await createFile(file, generateKeyPair().privateKeyPem, true)
  return readFile(file, 'utf8')
}

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT')
}
