/** Subcommands that use the network: the words after the program's name, each a separate word. */
const verbs: Readonly<Record<string, string>> = {
  git: 'clone|fetch|pull|push|ls-remote|submodule',
  'npm|pnpm|yarn|bun':
    'i|install|ci|add|update|upgrade|create|dlx|exec|x|publish|view|info|outdated|audit|login',
  'pip|pip3|pipx|uv|poetry|conda|mamba|pdm':
    'install|download|add|sync|update|lock|upgrade|search|publish|tool|run',
  cargo: 'install|update|fetch|add|publish|search|login',
  go: 'get|install|download',
  'gem|bundle|composer': 'install|update|add|require|push',
  'apt|apt-get|apk|dnf|yum|brew|pacman|zypper': 'install|update|upgrade|add|download|-S\\w*',
  'docker|podman': 'pull|push|login|search',
  'mvn|gradle|mix|dotnet|dart|flutter|swift|cabal|stack|terraform|helm':
    'deploy|deps.get|restore|add|pub|update|init|pull|get|install',
  'kubectl|aws|gcloud|az|gh|glab|fly|vercel|heroku': '\\S+',
}

const alone =
  'npx|pnpx|bunx|uvx|curl|wget|wget2|aria2c|axel|ssh|scp|sftp|rsync|ftp|telnet|nc|ncat|netcat|socat|ping|dig|nslookup|whois|traceroute'

const starts = '(?:^|[\\s;&|(`])(?:\\S{0,200}/)?'
// Options and their values may stand between, but no words of another command.
const between = '(?:[ \\t]+[^\\s;&|]{1,200}){0,4}?[ \\t]+'
const known = new RegExp(
  [
    ...Object.entries(verbs).map(
      ([programs, words]) => `${starts}(?:${programs})${between}(?:${words})(?=[\\s;&|)\`]|$)`,
    ),
    `${starts}(?:${alone})[ \\t]`,
    `${starts}python[\\d.]{0,6}[ \\t]+-m[ \\t]+pip[ \\t]+(?:install|download)`,
  ].join('|'),
)

/** Limit of examined characters of a command. */
const mostRead = 4_000

/** BASH-11: whether a command seems to need the network. Only a hint for people: it may be wrong either way. */
export function wantsNetwork(command: string): boolean {
  return known.test(command.slice(0, mostRead))
}
