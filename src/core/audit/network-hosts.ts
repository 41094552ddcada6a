import { findTool } from '../../rules/tools/registry.ts'
import { runsCommands } from '../../rules/tools/ruled-argument.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
/**
 * The hosts that a call may reach over the network, as far as its arguments tell; undefined when it is none that does.
 * For the audit alone: what may be reached is for the gate and the sandbox.
 */
export function networkHosts(tool: string, args: string): string[] | undefined {
  const text = readable(args).slice(0, mostCharacters)
  const hosts = hostsIn(text)
  const spec = findTool(tool)
  if (spec?.needsNetwork === true) return hosts
  if (spec === undefined || !runsCommands(spec)) return undefined
  return hosts.length > 0 || reaches.test(text) ? hosts : undefined
}

/** Programs that speak to other machines, where a command may begin. */
const reaches =
  /(?:^|[\s;&|("'`/])(?:curl|wget|ssh|scp|sftp|rsync|nc|ncat|netcat|socat|telnet|ftp|aria2c|ping|dig|nslookup|git (?:clone|fetch|pull|push|ls-remote)|(?:npm|pnpm|yarn|npx|pip3?|uv|gem|cargo|go|apt|apt-get|dnf|yum|apk|brew|docker|podman) (?:install|i|ci|add|get|update|upgrade|pull|push|fetch|download|publish))(?=$|[\s;&|)"'`])/m

/** Of URLs, and of `user@host` as ssh, scp and git take it. */
const places =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:[^\s/"'`@<>\\]{0,200}@)?(\[[0-9a-f:.]{2,45}\]|[^\s/:"'`?#<>\\[\]$(){},;&|]{1,253})|[\w.-]{1,64}@([\w-]{1,63}(?:\.[\w-]{1,63})+)(?=[:\s"'`]|$)/gi

const mostHosts = 20
/** All of them: an index holds them. */
const mostBytes = 1_000
const mostCharacters = 65_536

function hostsIn(text: string): string[] {
  const found = [...text.matchAll(places)].map(([, url, user]) => url ?? user ?? '')
  const hosts = [...new Set(found.map((host) => host.toLowerCase()))].slice(0, mostHosts)
  return hosts.filter((_, index) => Buffer.byteLength(hosts.slice(0, index + 1).join()) < mostBytes)
}

/** Arguments are JSON: an escaped quote or slash is none of the text. */
function readable(args: string): string {
  const value = tryParseJson(args)
  return value === undefined ? args : textsOf(value).join('\n')
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}
