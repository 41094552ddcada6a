import { execFile, spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import { externalVariableNames } from '../../src/config/outside-names.ts'

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
    { gateway: { service: { type: 'ExternalName' } } },
    { networkPolicy: { web: { ports: [] } } },
    { networkPolicy: { web: { exceptIPv4: ['all'] } } },
  ]) {
    expect(schema.safeParse({ ...values, ...wrong }).success, JSON.stringify(wrong)).toBe(false)
  }
})

test('SHIP-04 each variable of a secret that a template names is one that the product reads', async () => {
  const texts = await Promise.all(templates.map((name) => read(join('templates', name))))
  const named = texts.join('\n').match(/[A-Z][A-Z_]+(?=_FILE\b|" ")/g) ?? []
  const known = new Set(externalVariableNames())
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

  test('SHIP-03 SHIP-04 each process has its own image, or all have one', async () => {
    const imagesOf = async (settings: readonly string[]) =>
      (await render(settings)).flatMap(({ spec }) => {
        const pod = z.object({ containers: z.array(z.object({ image: z.string() })) })
        const found = pod.safeParse(spec?.template?.spec)
        return found.success ? found.data.containers.map(({ image }) => image) : []
      })
    const set = ['image.repository=registry.example/team/countersign', 'image.tag=1.2.3']
    expect(new Set(await imagesOf(set))).toEqual(
      new Set(
        ['gateway', 'agent', 'worker'].map(
          (name) => `registry.example/team/countersign-${name}:1.2.3`,
        ),
      ),
    )
    expect(new Set(await imagesOf([...set, 'image.perProcess=false']))).toEqual(
      new Set(['registry.example/team/countersign:1.2.3']),
    )
  })

  test('SHIP-04 gateways have a service for webhooks and the API', async () => {
    const resources = await render(['gateway.service.port=80'])
    const [service, ...more] = resources.filter(({ kind }) => kind === 'Service')
    expect(more).toEqual([])
    const gateway = resources.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-gateway'),
    )
    expect(service?.spec).toMatchObject({
      type: 'ClusterIP',
      selector: z.looseObject({}).parse(gateway?.spec?.['selector'])['matchLabels'],
      ports: [{ port: 80, targetPort: 'http' }],
    })
  })

  test('SHIP-04 WEB-02 workers reach Redis and DNS alone, and public addresses where the web tools are wanted', async () => {
    const egress = async (settings: readonly string[]) => {
      const policies = (await render(settings)).filter(({ kind }) => kind === 'NetworkPolicy')
      const worker = policies.find(({ metadata }) => metadata.name.endsWith('-worker'))
      return z.array(z.looseObject({})).parse(worker?.spec?.['egress'])
    }
    expect(await egress([])).toHaveLength(2)
    const [, , web] = await egress([
      'networkPolicy.web.enabled=true',
      'networkPolicy.web.ports={443,8443}',
    ])
    expect(web).toMatchObject({ ports: [{ port: 443 }, { port: 8443 }] })
    const blocks = JSON.stringify(web)
    for (const inner of ['10.0.0.0/8', '169.254.0.0/16', '192.168.0.0/16', 'fc00::/7'])
      expect(blocks).toContain(inner)
  })

  test('SHIP-04 the data directory is one that the process makes for itself in its volume', async () => {
    const text = JSON.stringify(await render([]))
    const places = [...text.matchAll(/"COUNTERSIGN_DATA_DIR","value":"([^"]+)"/g)]
    expect(places.map(([, place]) => place)).toEqual(Array(3).fill('/data/countersign'))
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
