/** Programs that run another program for an unknown subcommand, with their known subcommands. */
const known: Readonly<Record<string, string>> = {
  cargo:
    'add b bench build c check clean clippy config d doc fetch fix fmt generate-lockfile help info init install locate-project login ' +
    'logout metadata miri new owner package pkgid publish r read-manifest remove report rm run rustc rustdoc search t test tree ' +
    'uninstall update vendor verify-project version yank ' +
    // Widely installed plugins that run only cargo.
    'nextest audit deny expand machete outdated tarpaulin llvm-cov udeps bloat insta hack semver-checks watch',
  kubectl:
    'get describe logs apply create delete edit exec run expose rollout scale autoscale set explain cp port-forward proxy attach ' +
    'auth debug diff patch replace wait kustomize label annotate completion api-resources api-versions config plugin version ' +
    'cluster-info top cordon uncordon drain taint certificate events options help',
  docker:
    'attach build builder buildx checkpoint commit compose config container context cp create diff events exec export help history ' +
    'image images import info inspect kill load login logout logs manifest network node pause plugin port ps pull push rename ' +
    'restart rm rmi run save scout search secret service stack start stats stop swarm system tag top trust unpause update version ' +
    'volume wait debug sandbox machine',
  helm:
    'completion create dependency dep env get help history hist install lint list ls package plugin pull fetch push registry repo ' +
    'rollback search show inspect status template test uninstall un del delete upgrade verify version',
  gh:
    'alias api attestation auth browse cache co codespace cs completion config extension extensions ext gist gpg-key help issue label ' +
    'org pr preview project release repo ruleset run search secret ssh-key status variable version workflow',
  bundle:
    'add binstubs cache check clean config console doctor exec fund gem help info init inject install issue licenses list lock ' +
    'open outdated package plugin platform pristine remove show update version viz',
  dotnet:
    'add build build-server clean dev-certs ef exec format help list msbuild new nuget pack package publish reference remove restore ' +
    'run sln store test tool user-secrets vstest watch workload',
  jupyter: 'lab notebook nbconvert console kernelspec server trust troubleshoot migrate --version',
  conda:
    'activate deactivate build clean compare config create doctor env info init install list notices package remove uninstall rename ' +
    'run search update upgrade export repoquery',
}

const knownOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(known).map(([program, names]) => [program, new Set(names.split(' '))]),
)

/** Options before the subcommand, with and without a value in the next word. */
const valued =
  /^(?:-n|--namespace|--context|--cluster|--user|-s|--server|--as|--request-timeout|-R|--repo|--color|-l|--log-level|--kube-context|-v)$/
const flag =
  /^(?:-[qhDV]|-vv?|--(?:quiet|verbose|version|help|debug|locked|offline|frozen|info|list|tls|no-color))$/
const toolchain = /^\+(?:(?:stable|beta|nightly)(?:-[\w-]+)?|\d[\d.]*)$/

/** SHELL-11: an unknown subcommand, for which the program may start another program. */
export function pluginCommand(program: string, words: readonly string[]): string | undefined {
  const names = knownOf.get(program)
  if (names === undefined) return undefined
  const rest =
    program === 'cargo' && toolchain.test(words[1] ?? '') ? words.slice(2) : words.slice(1)
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? ''
    // It runs the subcommand after it.
    if (program === 'cargo' && word === 'hack') continue
    // `docker -v` and `cargo -v` take no value.
    const takesNext = valued.test(word) && !(word === '-v' && program !== 'kubectl')
    if (takesNext) at += 1
    else if (!word.startsWith('-')) return names.has(word) ? undefined : word
    else if (!flag.test(word) && word !== '-v' && !word.includes('=')) {
      // The option may take the next word or not.
      const next = rest[at + 1]
      return next === undefined || names.has(next) ? undefined : next
    }
  }
  return undefined
}
