import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Sockets of engines that are there: whoever may write into one can start a container over any file of its host. */
export function engineSockets(environment: Readonly<Record<string, string>>): readonly string[] {
  const { DOCKER_HOST, CONTAINER_HOST, XDG_RUNTIME_DIR } = environment
  const named = [DOCKER_HOST, CONTAINER_HOST].flatMap((address) =>
    address?.startsWith('unix://') ? [address.slice('unix://'.length)] : [],
  )
  const usual = ['docker.sock', 'podman/podman.sock', 'containerd/containerd.sock']
  const folders = ['/run', '/var/run', ...(XDG_RUNTIME_DIR === undefined ? [] : [XDG_RUNTIME_DIR])]
  const all = [...named, ...folders.flatMap((folder) => usual.map((name) => join(folder, name)))]
  return all.filter((path) => existsSync(path))
}
