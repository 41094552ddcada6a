/** BASH-11: hint for the model when commands have no network. */
const note =
  '[Commands have no network in this box. An operator can give them one: [tools.shell] allow_network; `countersign doctor` says how.]'

/** Error messages of programs without a network. */
const withoutNetwork =
  /could(?: not|n't) resolve (?:host|proxy)|\(from versions: none\)|failed to establish a new connection|\bdns error\b|\bEAI_AGAIN\b|\bENOTFOUND\b|\bENETUNREACH\b|\bENOTCACHED\b|temporary failure (?:in name resolution|resolving)|name or service not known|network is unreachable|no such host|nodename nor servname|failed to (?:lookup address|connect|resolve)|couldn't connect to server|unable to resolve host|unknown host|name resolution|lookup .{1,200} on .{1,100}: (?:dial|read)|no route to host/i

/** Characters at the end of an output that are searched. */
const mostRead = 20_000

/** Returns the hint if a command that failed or timed out may have needed the missing network. */
export function networkNote(
  hasNetwork: boolean,
  { failed, timedOut }: { readonly failed: boolean; readonly timedOut: boolean },
  output: string,
): string | undefined {
  if (hasNetwork) return undefined
  if (timedOut) return note
  return failed && withoutNetwork.test(output.slice(-mostRead)) ? note : undefined
}

/** Settings without which programs retry for a minute. Variables set by the operator override them. */
export const quickFailures: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: '0',
  npm_config_update_notifier: 'false',
  YARN_HTTP_RETRY: '0',
  PIP_RETRIES: '0',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  UV_HTTP_RETRIES: '0',
  CARGO_NET_RETRY: '0',
  BUNDLE_RETRY: '0',
}
