import { execFile, spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import { outsideVariables } from '../../src/config/outside-names.ts'

const chart = fileURLToPath(new URL('../../deploy/helm', import.meta.url))
const read = (name: string) => readFile(join(chart, name), 'utf8')
const templates = await readdir(join(chart, 'templates'))

test('SHIP-04 the chart is of the version of the product, and its values keep their own schema', async () => {
  expect(parse(await read('Chart.yaml'))).toMatchObject({
    version: manifest.version,
    appVersion: manifest.version,
  })
  const schema = z.fromJSONSchema(JSON.parse(await read('values.schema.json')))
  const values = parse(await read('values.yaml'))
  expect(schema.safeParse(values).error).toBeUndefined()
  for (const wrong of [
    { image: { repository: '' } },
    { worker: { replicas: -1 } },
    { secretNames: {} },
    { terminationGracePeriodSeconds: 30 },
    { gateway: { secrets: ['lower'] } },
  ]) {
    expect(schema.safeParse({ ...values, ...wrong }).success, JSON.stringify(wrong)).toBe(false)
  }
})

test('SHIP-04 each variable of a secret that a template names is one that the product reads', async () => {
  const texts = await Promise.all(templates.map((name) => read(join('templates', name))))
  const named = texts.join('\n').match(/[A-Z][A-Z_]+(?=_FILE\b|" ")/g) ?? []
  const known = new Set(outsideVariables())
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((name) => !known.has(`${name}_FILE`))).toEqual([])
})

const hasHelm = spawnSync('helm', ['version']).status === 0

describe.skipIf(!hasHelm)('with helm', () => {
  const run = promisify(execFile)
  const forAll = ['--set', 'gateway.secrets={TELEGRAM_BOT_TOKEN}', '--kube-version', '1.33.0']
  const scaled = ['worker.replicas=3', 'worker.storage.accessModes={ReadWriteMany}']
  const keda = [
    'worker.autoscaling.enabled=true',
    'worker.autoscaling.prometheusAddress=http://prometheus:9090',
  ]
  const render = async (settings: readonly string[]) => {
    const set = settings.flatMap((one) => ['--set', one])
    const { stdout } = await run('helm', ['template', 'team', chart, ...forAll, ...set])
    return parseAllDocuments(stdout).map((document) => Resource.parse(document.toJS()))
  }

  test('SHIP-04 helm lint finds nothing wrong', async () => {
    const { stdout } = await run('helm', ['lint', '--strict', chart])
    expect(stdout).toContain('0 chart(s) failed')
  })

  test('SHIP-04 every container is confined, and a worker holds no secret of database, model or chat', async () => {
    const resources = await render([])
    const pods = resources.flatMap(({ spec }) => spec?.template?.spec ?? [])
    expect(pods).toHaveLength(4)
    for (const pod of pods) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true },
        containers: [
          { securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } } },
        ],
      })
    }
    const worker = resources.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-worker'),
    )
    const text = JSON.stringify(worker)
    expect(text).toContain('"hostUsers":false')
    expect(text).not.toMatch(/DATABASE_URL|TELEGRAM|SLACK|API_KEY|SIGNING_KEY|ENROLMENT/)
  })

  test('SHIP-04 replicas of a worker need a volume that they can share; with one they scale, by KEDA too', async () => {
    await expect(render(['worker.replicas=3'])).rejects.toThrow(/ReadWriteMany/)
    await expect(render([...keda])).rejects.toThrow(/ReadWriteMany/)
    const kinds = (await render([...scaled, ...keda])).map(({ kind }) => kind)
    expect(kinds).toContain('ScaledObject')
    expect(kinds.filter((kind) => kind === 'PodDisruptionBudget')).toHaveLength(3)
  })
})

const Resource = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z
    .looseObject({ template: z.looseObject({ spec: z.looseObject({}) }).optional() })
    .optional(),
})
