import { type JobHeader, jobHeader, type SignedJob } from '../../../src/rules/jobs/contract.ts'
import { generateKeyPair } from '../../../src/rules/jobs/keys.ts'
import { createSigner, type JobFacts, type Signer, signJob } from '../../../src/rules/jobs/sign.ts'
import { canonicalJson } from '../../../src/util/canonical-json.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { newId } from '../../../src/util/ids.ts'
import { forged } from './hostile-scene.ts'

/** A key that nobody ever gave out. */
export const ownKey: Signer = createSigner(generateKeyPair().privateKeyPem)

/** What the attacker wants run. */
export const wanted = JSON.stringify({ command: `echo ${forged} >> counter` })

export function headerOf(job: SignedJob): JobHeader {
  return jobHeader.parse(JSON.parse(job.header))
}

/** What an agent would sign to have `wanted` run in that job's box, by a call that the journal knows nothing of. */
export function factsLike(job: SignedJob, more: Partial<JobFacts> = {}): JobFacts {
  const { kid: _, v: __, iat: ___, exp: ____, argumentsSha256: _____, ...facts } = headerOf(job)
  return { ...facts, callId: newId(), ...more }
}

/** Jobs that nobody signed who may: made up, or a true one that was changed. Each would run `wanted`. */
export function forgedJobs(real: SignedJob): readonly unknown[] {
  const now = Math.floor(Date.now() / 1000)
  const facts = factsLike(real)
  const own = signJob(ownKey, facts, wanted, now)
  const underTheirs = signJob({ ...ownKey, kid: headerOf(real).kid }, facts, wanted, now)
  const changed = (change: Partial<JobHeader>, args = real.arguments) => ({
    ...real,
    header: canonicalJson({ ...headerOf(real), ...change }),
    arguments: args,
  })
  const fresh = { callId: newId(), argumentsSha256: sha256(wanted) }
  return [
    own,
    underTheirs,
    { ...underTheirs, signature: '' },
    { ...underTheirs, signature: real.signature },
    { header: underTheirs.header, arguments: wanted },
    { ...real, arguments: wanted },
    changed(fresh, wanted),
    changed({ attempt: headerOf(real).attempt + 1 }),
    changed({ attempt: 1_000_000, callId: newId() }),
    changed({ exp: now + 100_000_000 }),
    { ...real, signature: `${real.signature}=` },
    { ...real, header: ` ${real.header}` },
    ...(['run', 'preview', 'restart', 'cancel'] as const).map((type) =>
      changed({ ...fresh, type }, wanted),
    ),
  ]
}

/** What is no job at all. */
export function junk(): readonly unknown[] {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  return [
    'a bare string',
    7,
    null,
    [],
    {},
    { header: {}, signature: {}, arguments: {} },
    { header: '{}', signature: 'AAAA', arguments: '\u0000' },
    { header: deep, signature: 'AAAA', arguments: deep },
    { header: 'x'.repeat(1_500_000), signature: '', arguments: '' },
    { body: deep, signature: 'AAAA' },
    { body: '{"__proto__":{"type":"hello"}}', signature: 'AAAA' },
  ]
}

/** Stored texts that BullMQ does not expect, as only a hand in Redis leaves them. */
export const damagedTexts: readonly string[] = [
  '',
  'null',
  '"a bare string"',
  '{"data":{"__proto__":{"header":"{}","signature":"","arguments":""},"constructor":{"prototype":{}}}}',
  '{"__proto__":{"data":{}}}',
  '{"data":"\\u0000 \\ud800"}',
  `{"data":${'{"data":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
]

/** Texts that are no JSON, so that BullMQ itself cannot read them. */
export const unreadable: readonly string[] = [
  '{not JSON',
  '{"data":',
  '\u0000',
  '{"data":{"a":1}}x',
]
