import type { SandboxOptions } from './sandbox-options.ts'
import { SandboxUnavailable } from './sandbox-unavailable.ts'

/** BASH-06: throws where boxes were to have a network and none can be given that is not the host's. */
export function assertNoNetwork(driver: string, { network }: SandboxOptions): void {
  if (network === undefined) return
  throw new SandboxUnavailable(
    `${driver} could give commands no network but the host's, which reaches everything here: [sandbox] network needs [sandbox] driver = "docker" (docker.io or podman, and the image of boxes)`,
  )
}
