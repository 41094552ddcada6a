// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell.
import { describe, expect, test } from 'vitest'
import { judgeBash } from '../support/judge-with.ts'

const permissions = {
  bash: {
    ...Object.fromEntries(
      'ls cd pwd git date echo printf wc true exit sleep seq grep npm cat sort [ cargo'
        .split(' ')
        .map((program) => [`${program} *`, 'allow']),
    ),
    'git push *': 'deny',
  },
  read: { '*': 'allow', '*.env': 'deny' },
}

function action(command: string): string {
  return judgeBash(command, { permissions }).action
}

describe('what is more than a list and still plain', () => {
  test.each([
    'git status # look',
    '# first\nls # then\npwd',
    "ls # it's fine",
    'ls # "quoted\npwd',
    'ls; # x\npwd',
    '(ls)',
    '(ls; pwd) | wc -l',
    '(cd src && ls)',
    '{ ls; pwd; }',
    '{ ls; pwd; } | wc -l',
    'time ls',
    'time npm test',
    '! ls | grep -q x',
    'if ls x; then pwd; fi',
    'if [ -f x ]; then\n  cat x\nelif ls y; then pwd; else date; fi',
    'if ! grep -q a b; then echo no; fi',
    'while grep -q a b; do sleep 1; done',
    'until ls x 2>/dev/null; do sleep 1; done',
    'for i in 1 2 3; do npm test; done',
    'for f in a b; do echo "$f"; done',
    'for f in src/*.ts; do echo $f; done',
    'for i in $(seq 5); do echo $i; ls; done',
    'for i in 1 2\ndo\n  ls\ndone',
    'for x in a; do for y in b; do echo $x$y; done; done | wc -l',
  ])('SHELL-10 %j is not asked about', (command) => {
    expect(judgeBash(command, { permissions }).reasons).toEqual([])
    expect(action(command)).toBe('allow')
  })

  test.each([
    '(ls; id)',
    '{ ls; id; }',
    'if id; then ls; fi',
    'if ls; then id; fi',
    'if ls; then pwd; else id; fi',
    'while ls; do id; done',
    'for i in 1; do id; done',
    'for i in $(id); do ls; done',
    'echo $(id)',
    'echo "a $(id) b"',
    'echo "$(ls "$(echo $(id))")"',
    'ls # x\nid',
    'time id',
    '! id',
  ])('SHELL-01 SHELL-02 %j asks, for id has no rule', (command) => {
    expect(action(command)).toBe('ask')
    expect(action(command.replaceAll('id', 'git push'))).toBe('deny')
  })
})

describe('words that are only shown', () => {
  test.each([
    'echo $HOME',
    'echo "$HOME"/x',
    'echo "exit: $?"',
    'echo $# $$ $! $- $0 $1 $@ $*',
    'echo ${USER} ${#USER}',
    'echo "$(git rev-parse HEAD)"',
    'echo "on $(git branch --show-current) at $(date +%s)"',
    'echo $(date)',
    'echo done > /dev/null',
    'printf "%s\\n" "$HOME" $(date)',
    'echo *.ts',
    'echo src/*',
    'ls src/*.ts',
    'ls ./*.md',
    'ls docs/[a-c]*.md',
    'exit $?',
    'npm test; echo $?',
    'sleep $N',
    'echo "$(ls | wc -l) files"',
  ])('SHELL-03 %j is not asked about', (command) => {
    expect(judgeBash(command, { permissions }).reasons).toEqual([])
  })

  test.each([
    'cat $HOME/x',
    'git log $REF',
    'git checkout "$(git rev-parse HEAD)"',
    'cat src/*.env',
    'wc -l *.m?',
    'ls *.env',
    'ls src/*.env',
    'echo ${x:-y}',
    'printf "$x"',
    'printf -- $x',
    '[ "$x" ]',
    '[ $x = y ]',
    'ls "$x"',
  ])('SHELL-03 %j asks: it opens, runs or evaluates them', (command) => {
    expect(action(command)).toBe('ask')
  })
})

describe('variables in front of a command', () => {
  test.each([
    'NODE_ENV=test npm test',
    'CI=1 npm test',
    'CI=true NO_COLOR=1 npm test',
    'TZ=UTC date',
    'TZ=Europe/Berlin date',
    'LC_ALL=C sort x',
    "LANG='C.UTF-8' sort x",
    'DEBUG=app:* npm test',
    'RUST_BACKTRACE=1 cargo test',
    'FORCE_COLOR=0 npm test 2>&1 | cat',
  ])('SHELL-05 %j is not asked about', (command) => {
    expect(judgeBash(command, { permissions }).reasons).toEqual([])
  })

  test.each(
    (
      'PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT GIT_SSH GIT_SSH_COMMAND GIT_DIR GIT_CONFIG_COUNT BASH_ENV ENV PAGER ' +
      'MANPAGER EDITOR VISUAL NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONSTARTUP PERL5OPT PERL5LIB RUBYOPT RUBYLIB IFS ' +
      'PROMPT_COMMAND PS4 SHELLOPTS BASHOPTS FPATH CDPATH LESSOPEN LESSCLOSE BROWSER SHELL HOME TMPDIR RSYNC_RSH ' +
      'DOCKER_HOST KUBECONFIG npm_config_script_shell http_proxy JAVA_TOOL_OPTIONS CARGO_HOME RUSTC_WRAPPER MAKEFLAGS ' +
      'GCONV_PATH LOCPATH TERMINFO TERMCAP BASH_FUNC_ls GREP_OPTIONS OPENSSL_CONF SSH_ASKPASS SUDO_ASKPASS X node_env'
    ).split(' '),
  )('SHELL-05 %s asks, by name', (name) => {
    const { action: found, reasons } = judgeBash(`${name}=1 ls`, { permissions })
    expect(found).toBe('ask')
    expect(reasons.join()).toContain(`sets a variable, ${name},`)
  })
})
