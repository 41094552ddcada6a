import type { Config } from '../../config/config.ts'
import type { SandboxDriver } from '../../ports/sandbox.ts'

type Parts = Pick<Config, 'tools' | 'sandbox'>

/** BASH-06: returns the network of commands; undefined until the operator allows one and names it. */
export function commandNetwork({ tools, sandbox }: Parts): string | undefined {
  return tools.shell.allowNetwork ? sandbox.network : undefined
}

/** BASH-11: explains how to give commands a network with this driver. */
export function networkRecipe(driver: SandboxDriver['name'] | undefined): string {
  const make =
    'make one with `docker network create for-commands` and set [sandbox] network = "for-commands" and [tools.shell] allow_network = true'
  if (driver === 'docker') return make
  const why =
    driver === 'process' ? 'keeps nothing apart' : 'has only the network of this machine to give'
  return `${driver ?? 'this driver'} ${why}, so use [sandbox] driver = "docker" (docker.io or podman, and the image: \`docker build --target box --tag countersign-box .\`), ${make}`
}

/** BASH-11: returns a warning if `allow_network` is on but gives commands no network. */
export function networkAdvice(config: Parts, driver: SandboxDriver['name']): string | undefined {
  if (!config.tools.shell.allowNetwork || commandNetwork(config) !== undefined) return undefined
  return `[tools.shell] allow_network is on and names no network, so commands have none: ${networkRecipe(driver)}`
}
