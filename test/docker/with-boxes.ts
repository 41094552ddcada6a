import { afterAll, beforeAll, type TestContext, test } from 'vitest'
import { createDockerDriver } from '../../src/adapters/sandbox/docker/docker-driver.ts'
import type { DockerOptions, SandboxOptions } from '../../src/adapters/sandbox/sandbox-options.ts'
import { inCi } from '../support/run/in-ci.ts'
import { dockerFailure, dockerProgram, type Engine, startEngine } from './engine.ts'
import { buildBoxImage, images } from './images.ts'

type DefineTest = (title: string, body: () => Promise<void>) => void

/** Starts of containers wait for each other and for whatever else the machine does: each test waits for events of its own. */
const timeoutMs = 240_000

/** Tests with an engine that has the image of boxes: skipped by name where there can be none, failing in CI. */
export interface BoxEngine {
  readonly test: DefineTest
  /** The same for those that share nothing: they run at once. */
  readonly concurrent: DefineTest
  readonly engine: () => Engine
  readonly docker: () => DockerOptions
  readonly createDriver: (options: SandboxOptions) => ReturnType<typeof createDockerDriver>
}

/** One engine and one image for all tests of the file. */
export function withBoxes(): BoxEngine {
  const resources = new AsyncDisposableStack()
  let failure = dockerFailure()
  let started: Engine | undefined
  if (failure !== undefined && inCi())
    throw new Error(`the tests with containers cannot run: ${failure}`)
  if (failure !== undefined) process.stderr.write(`skipped: the docker sandbox (${failure})\n`)

  beforeAll(async () => {
    if (failure !== undefined) return
    started = await startEngine('none').catch((error: unknown) => {
      if (inCi()) throw error
      failure = String(error)
      return undefined
    })
    if (started === undefined) return
    resources.use(started)
    await buildBoxImage(started)
  }, 300_000)
  afterAll(() => resources.disposeAsync(), 120_000)

  const unlessSkipped = async (skip: TestContext['skip'], body: () => Promise<void>) => {
    skip(failure !== undefined, failure)
    await body()
  }
  const engine = () => {
    if (started === undefined) throw new Error('no engine was started')
    return started
  }
  const docker = () => {
    const environment = { ...engine().environment }
    return { program: dockerProgram, image: images.box, environment }
  }
  return {
    engine,
    docker,
    createDriver: (options) => createDockerDriver({ ...options, docker: docker() }),
    test: (title, body) => test(title, ({ skip }) => unlessSkipped(skip, body), timeoutMs),
    concurrent: (title, body) =>
      test.concurrent(title, ({ skip }) => unlessSkipped(skip, body), timeoutMs),
  }
}
