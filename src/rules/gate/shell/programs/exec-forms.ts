import { baseName } from './program-name.ts'

/** A known command that runs another one in this form: `docker exec`, `npx`, `uv run`. */
export interface ExecForm {
  /** The prefix that a rule needs to allow any inner command. */
  readonly form: string
  /** The possible inner commands; each has to be allowed if no rule names the form. */
  readonly commands: readonly (readonly string[])[]
}

/** Subcommands that run the command in their words, with the number of words before it (a container, a host, an image). */
const forms: Readonly<Record<string, readonly [operands: number, subcommands: string]>> = {
  npx: [0, ''],
  pnpx: [0, ''],
  bunx: [0, ''],
  uvx: [0, ''],
  npm: [0, 'exec|x'],
  pnpm: [0, 'exec|dlx'],
  yarn: [0, 'exec|dlx|node'],
  bun: [0, 'x'],
  uv: [0, 'run|tool run'],
  pipx: [0, 'run'],
  poetry: [0, 'run'],
  pipenv: [0, 'run'],
  pdm: [0, 'run'],
  hatch: [0, 'run'],
  rye: [0, 'run'],
  pixi: [0, 'run|exec'],
  conda: [0, 'run'],
  mamba: [0, 'run'],
  micromamba: [0, 'run'],
  bundle: [0, 'exec'],
  composer: [0, 'exec'],
  rbenv: [0, 'exec'],
  pyenv: [0, 'exec'],
  nodenv: [0, 'exec'],
  nvm: [1, 'exec|run'],
  fnm: [0, 'exec'],
  volta: [0, 'run'],
  asdf: [0, 'exec'],
  mise: [0, 'exec|x'],
  rustup: [1, 'run'],
  stack: [0, 'exec|runghc|runhaskell'],
  cabal: [0, 'exec'],
  opam: [0, 'exec'],
  dune: [0, 'exec'],
  dotnet: [0, 'exec|tool run'],
  nx: [0, 'exec'],
  c8: [0, ''],
  nyc: [0, ''],
  tox: [0, 'exec'],
  nomad: [1, 'exec|alloc exec'],
  consul: [1, 'exec|lock|watch'],
  telepresence: [1, 'intercept'],
  okteto: [0, 'exec'],
  repo: [0, 'forall'],
  lerna: [0, 'exec'],
  turbo: [0, 'exec'],
  mix: [0, 'cmd'],
  nix: [0, 'run|shell|develop|repl'],
  flatpak: [0, 'run'],
  toolbox: [0, 'run|enter'],
  distrobox: [1, 'enter'],
  docker: [1, 'exec|run|container exec|container run|compose exec|compose run|sandbox run'],
  'docker-compose': [1, 'exec|run'],
  podman: [1, 'exec|run|container exec|container run|compose exec|compose run|unshare'],
  nerdctl: [1, 'exec|run|compose exec|compose run'],
  buildah: [1, 'run|unshare'],
  crictl: [1, 'exec'],
  ctr: [2, 'run|tasks exec'],
  runc: [1, 'exec|run'],
  crun: [1, 'exec|run'],
  lxc: [1, 'exec|shell'],
  incus: [1, 'exec|shell'],
  machinectl: [1, 'shell'],
  kubectl: [1, 'exec|run|debug|attach'],
  oc: [1, 'exec|run|debug|rsh'],
  k3s: [0, 'kubectl|crictl|ctr'],
  minikube: [0, 'kubectl'],
  multipass: [1, 'exec|shell'],
  limactl: [1, 'shell'],
  heroku: [0, 'local'],
  railway: [0, 'run'],
  gcloud: [1, 'compute scp'],
  gh: [0, 'extension exec|ext exec|extensions exec'],
  foreman: [0, 'run'],
  honcho: [0, 'run'],
  op: [0, 'run'],
  sops: [0, 'exec-env|exec-file'],
  go: [0, 'tool'],
  cargo: [0, 'watch'],
  adb: [0, 'shell|exec-out'],
  ip: [1, 'netns exec|vrf exec'],
  tc: [0, 'exec'],
}

const maxStarts = 24
/** Options of these without a value, so that the next word is known. */
const flags = /^(?:-[itdqyT]{1,4}|--(?:rm|yes|no-install|interactive|tty|detach|quiet|silent))$/

/** Whether a command runs another one named in its words (SHELL-04), and the candidates. */
export function execForm(words: readonly string[]): ExecForm | undefined {
  const program = baseName(words[0] ?? '')
  const known = Object.hasOwn(forms, program) ? forms[program] : undefined
  const remote = remoteForm(program, words)
  if (remote !== undefined) return remote
  if (known === undefined) return undefined
  const [operands, subcommands] = known
  for (const subcommand of subcommands.split('|')) {
    const end = endOf(words, subcommand === '' ? [] : subcommand.split(' '))
    if (end === undefined) continue
    const form = subcommand === '' ? program : `${program} ${subcommand}`
    const rest = words.slice(end)
    // The device's shell reads the words again.
    if (program === 'adb' && !(rest.length > 0 && rest.every(isPlainWord)))
      return { form, commands: [['sh', '-c', rest.join(' ')]] }
    const isCluster = program === 'kubectl' || program === 'oc'
    const at = isCluster ? rest.indexOf('--') : -1
    // What stands before it names the pod, unless an option took it for its value.
    const isEnd = at > 0 && !/^-/.test(rest[at - 1] ?? '')
    if (takesRoot(program, rest)) return { form, commands: [['sudo', ...rest]] }
    return {
      form,
      commands: isEnd
        ? [rest.slice(at + 1)]
        : starts(withoutUser(program, subcommand, rest), operands),
    }
  }
  return goRun(program, words)
}

/**
 * Subcommands that give their words to a shell of another machine, as `ssh` does, in an option, a list, or all together. A rule
 * has to name the form, as none for the program is meant to cover all that such a shell may run.
 */
const remoteShells: Readonly<Record<string, string>> = {
  aws: 'ssm start-session|ssm send-command|ecs execute-command|ssm start-automation-execution',
  az: 'vm run-command|vmss run-command|aks command|container exec|containerapp exec|webapp ssh|ssh|serialconsole|vm extension set',
  gcloud:
    'compute ssh|compute tpus tpu-vm ssh|alpha cloud-shell ssh|cloud-shell ssh|app instances ssh|workstations ssh',
  gh: 'codespace ssh|cs ssh',
  doctl: 'compute ssh|apps console',
  oci: 'compute instance-agent command|instance-agent command',
  aliyun: 'ecs RunCommand|ecs InvokeCommand',
  tccli: 'tat RunCommand',
  hcloud: 'server ssh',
  linode: 'ssh',
  exo: 'compute instance ssh',
  civo: 'instance ssh',
  scw: 'instance server ssh',
  heroku: 'run|run:detached|run:inside|ps:exec',
  fly: 'ssh console|ssh sftp|ssh|console|machine exec|machines exec|m exec',
  flyctl: 'ssh console|ssh sftp|ssh|console|machine exec|machines exec|m exec',
  railway: 'ssh|shell',
  render: 'ssh',
  vagrant: 'ssh|powershell|winrm',
  minikube: 'ssh',
  colima: 'ssh',
  docker: 'machine ssh|debug',
  'docker-machine': 'ssh',
  podman: 'machine ssh',
  eb: 'ssh',
  copilot: 'svc exec|task exec|job exec|task run',
  platform: 'environment:ssh|ssh',
  upsun: 'environment:ssh|ssh',
  lando: 'ssh',
  ddev: 'exec|ssh',
  coder: 'ssh',
  devpod: 'ssh',
  gitpod: 'workspace ssh',
  tsh: 'ssh',
  boundary: 'connect ssh',
  cf: 'ssh|run-task',
  salt: '',
  'salt-call': '',
  'salt-ssh': '',
  bolt: 'command run|script run|task run|plan run',
  knife: 'ssh|winrm',
  mco: 'shell|rpc',
}

function remoteForm(program: string, words: readonly string[]): ExecForm | undefined {
  const known = Object.hasOwn(remoteShells, program) ? remoteShells[program] : undefined
  for (const subcommand of known?.split('|') ?? []) {
    const names = subcommand.split(' ').filter(Boolean)
    const end = endOf(words, names)
    if (end === undefined || (names.length === 0 && words.length < 2)) continue
    const rest = words.slice(end)
    if (rest.some((word) => /^(?:--help|help)$/.test(word))) return undefined
    return { form: [program, ...names].join(' '), commands: [['sh', '-c', rest.join(' ')]] }
  }
  return undefined
}

/** `docker exec -u root`: whatever the container's own user may not do. */
function takesRoot(program: string, rest: readonly string[]): boolean {
  if (!/^(?:docker|docker-compose|podman|nerdctl)$/.test(program)) return false
  const end = rest.findIndex((word, at) => !word.startsWith('-') && !rest[at - 1]?.startsWith('-'))
  return rest
    .slice(0, end === -1 ? undefined : end)
    .some((word, at) =>
      /^(?:-u|--user)$/.test(rest[at - 1] ?? '')
        ? isRoot.test(word)
        : /^(?:-u=?|--user=)/.test(word) && isRoot.test(word.replace(/^(?:-u=?|--user=)/, '')),
    )
}

const isRoot = /^(?:root|0)(?::|$)/

/** `docker run`, also by compose. */
export const runsImage =
  /^(?:docker|podman|nerdctl)(?: container| compose| -\S+)* (?:run|create)(?: |$)/

/** Whether a word means the same if a shell reads it a second time. */
export function isPlainWord(word: string): boolean {
  return /^[\w./:@%+=,-]+$/.test(word)
}

/** `go run x@latest` downloads the program it runs. */
function goRun(program: string, words: readonly string[]): ExecForm | undefined {
  if (program !== 'go' || !words.includes('run')) return undefined
  const remote = words.find((word) => word.includes('@'))
  return remote === undefined ? undefined : { form: `go run ${remote}`, commands: [[remote]] }
}

/** The end of the subcommand; an option before it may have taken a word as its value, so it may also come later. */
function endOf(words: readonly string[], subcommand: readonly string[]): number | undefined {
  let at = 1
  let isLoose = false
  for (const name of subcommand) {
    while (at < words.length && (words[at]?.startsWith('-') || (isLoose && words[at] !== name))) {
      if (words[at]?.startsWith('-')) isLoose = true
      at += 1
    }
    if (words[at] !== name) return undefined
    at += 1
  }
  return at
}

/** Options of `docker run` with a value that is no command. */
const valuedOfRun =
  /^(?:-[vpmhl]|--(?:volume|publish|name|network|net|memory|cpus|platform|hostname|label|restart|pull|shm-size|add-host))$/
const attachedOfRun =
  /^--(?:volume|publish|name|network|net|memory|cpus|platform|hostname|label|restart|pull|shm-size|add-host|user|workdir|env)=\S+$/

/** `docker exec -u node web ls`: options before the container whose values are known. */
function withoutUser(
  program: string,
  subcommand: string,
  rest: readonly string[],
): readonly string[] {
  if (!/^(?:docker|docker-compose|podman|nerdctl)$/.test(program)) return rest
  const isRun = /^(?:container )?run$/.test(subcommand)
  if (!isRun && !/(?:^| )exec$/.test(subcommand)) return rest
  let at = 0
  for (let word = rest[at]; word !== undefined; word = rest[at]) {
    const isValued =
      /^(?:-[uwe]|--(?:user|workdir|env|index))$/.test(word) || (isRun && valuedOfRun.test(word))
    if (!isValued && !flags.test(word) && !(isRun && attachedOfRun.test(word))) break
    at += isValued ? 2 : 1
  }
  return rest.slice(at)
}

/** An unknown option is kept: `npx --package=x tsc` is not a plain `tsc`. */
function starts(rest: readonly string[], operands: number): readonly (readonly string[])[] {
  const commands: (readonly string[])[] = []
  let skip = operands
  let isCertain = true
  for (const [at, word] of rest.entries()) {
    if (commands.length >= maxStarts) break
    if (word === '--') return [...commands, rest.slice(at + 1)].filter(({ length }) => length > 0)
    if (flags.test(word)) continue
    if (!word.startsWith('-') && skip > 0 && isCertain) skip -= 1
    else {
      commands.push(rest.slice(at))
      if (!word.startsWith('-') && isCertain) break
      isCertain = false
    }
  }
  return commands
}
