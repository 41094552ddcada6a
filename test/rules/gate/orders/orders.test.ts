import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isExecutableConfig } from '../../../../src/shared/executable-config.ts'
import { leastProcessorMs } from '../../../support/processor-ms.ts'
import { judgeBash, judgeWith } from '../support/judge-with.ts'

const open = { '*': 'allow', write: 'allow', edit: 'allow', bash: { '*': 'allow', 'x *': 'ask' } }
const files = [
  '.git/config',
  '.git/hooks/pre-commit',
  '.git/info/attributes',
  '.git/modules/lib/config',
  'lib/.git',
  '.gitattributes',
  '.gitmodules',
  '.gitconfig',
  '.npmrc',
  'packages/a/.npmrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.bashrc',
  '.profile',
  '.zshenv',
  '.config/fish/config.fish',
  '.envrc',
  '.vscode/tasks.json',
  '.idea/runConfigurations/x.xml',
  '.husky/pre-commit',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  '.cargo/config.toml',
  '.mvn/jvm.config',
  '.gradle/init.d/x.gradle',
  '.ssh/authorized_keys',
  '.claude/settings.json',
  '.cursor/hooks.json',
  '.mcp.json',
  'AGENTS.md',
  'docs/CLAUDE.md',
  '.devcontainer/devcontainer.json',
  '.venv/lib/python3/site-packages/a.pth',
  'lib/sitecustomize.py',
  'bare.git/hooks/post-update',
  ...['opencode.json', 'opencode.jsonc', 'mcp.json', 'mcp_config.json', 'cline_mcp_settings.json'],
  ...['crush.json', 'AGENT.md', 'CLAUDE.local.md', 'AGENTS.override.md', 'QWEN.md', 'codex.md'],
  ...['mise.toml', 'mise.local.toml', 'mise/config.toml', 'mise/conf.d/a.toml', 'devfile.yaml'],
  ...['lefthook-local.yml', 'lefthook.toml', 'githooks/pre-commit', 'rust-toolchain.toml'],
  ...['venv/bin/activate', 'env/bin/python', 'venv/pyvenv.cfg', 'app.code-workspace', '_vimrc'],
  ...['bunfig.toml', 'NuGet.Config', 'Directory.Build.rsp', 'uv.toml', 'ansible.cfg', 'latexmkrc'],
  ...['gradle/wrapper/gradle-wrapper.properties', 'gradle/wrapper/gradle-wrapper.jar'],
  ...['user.bazelrc', 'share/applications/app.desktop'],
  ...['Jenkinsfile', 'azure-pipelines.yml', 'bitbucket-pipelines.yml', 'ci/buildspec.yml'],
]

describe('files from which programs take orders', () => {
  test.each(files)('SHELL-11 %s is one, in any case and spelling', (file) => {
    for (const spelled of [
      file,
      file.toUpperCase(),
      file.replace('.', '.\u200c'),
      `${file}. `,
      `${file}::$DATA`,
    ]) {
      expect([spelled, isExecutableConfig(spelled)]).toEqual([spelled, true])
    }
  })

  test.each([
    'src/a.ts',
    'package.json',
    'Makefile',
    'tsconfig.json',
    '.gitignore',
    '.dockerignore',
    '.editorconfig',
    '.env.example',
    '.nvmrc',
    '.cache/x',
    '.next/build',
    'a.git.md',
    'legit/config',
    '.',
    '..',
    '../x',
    '.ts',
    '.json',
    'notes/agents.md.txt',
    ...['docs/mcp.md', 'src/mcp.ts', 'mcp-response.json', 'pnpm-workspace.yaml', 'Dockerfile'],
    ...['docker-compose.yml', 'src/agent.ts', 'venv', 'env', 'env/production.yml', 'src/mise/x.ts'],
    ...['Directory.Build.props', 'build.gradle', 'pyproject.toml', 'Cargo.toml', 'justfile'],
  ])('SHELL-11 %s is none', (file) => {
    expect(isExecutableConfig(file)).toBe(false)
  })

  test('SHELL-11 whatever lies in a folder that gives orders gives them too', () => {
    const below = fc.array(fc.stringMatching(/^[a-z0-9]{1,8}$/), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(fc.constantFrom(...files), below, (file, parts) => {
        expect(isExecutableConfig([file, ...parts].join('/'))).toBe(true)
      }),
    )
  })
})

describe('tools', () => {
  const args: Readonly<Record<string, (path: string) => Record<string, unknown>>> = {
    write: (path) => ({ path, content: 'x' }),
    edit: (path) => ({ path, old_string: 'a', new_string: 'b' }),
    create_directory: (path) => ({ path }),
    copy_path: (destination) => ({ source: 'src/a', destination }),
    move_path: (destination) => ({ source: 'src/a', destination }),
    put_file: (path) => ({ path, bytes: 1, sha256: '0'.repeat(64) }),
  }
  const spellings = (file: string) => [file, `./${file}`, `src/../${file}`, `~/${file}`]

  test.each(Object.keys(args))(
    'SHELL-11 %s of one asks with high risk, whatever rule allows it',
    (tool) => {
      for (const path of files.flatMap(spellings)) {
        const verdict = judgeWith(tool, args[tool]?.(path) ?? {}, { permissions: open })
        expect([path, verdict.action, verdict.risk]).toEqual([path, 'ask', 'high'])
        expect(verdict.alwaysPatterns).toEqual([])
        expect(verdict.reasons.join()).toContain('from which programs may take what they run')
      }
    },
  )

  test('SHELL-11 so does a folder moved or copied to where its files give orders', () => {
    for (const destination of ['.git', '.git/hooks', 'bare.git', '.vscode', '.husky/_', 'x/HEAD']) {
      for (const tool of ['copy_path', 'move_path']) {
        const verdict = judgeWith(tool, { source: 'tmpl', destination }, { permissions: open })
        expect([destination, verdict.action, verdict.risk]).toEqual([destination, 'ask', 'high'])
        expect(verdict.alwaysPatterns).toEqual([])
      }
    }
    for (const command of ['cp -r tmpl .git', 'mv hooks .git/hooks', 'mv -T tmpl ./.vscode'])
      expect(judgeBash(command, { permissions: open })).toMatchObject({
        action: 'ask',
        risk: 'high',
        alwaysPatterns: [],
      })
  })

  test('SHELL-11 so does a write whose real path is one, as the executor reports it', () => {
    const args = { path: 'notes', content: 'x' }
    expect(judgeWith('write', args, { permissions: open }).action).toBe('allow')
    const canonical = ['/workspace/.git/hooks/pre-commit']
    expect(judgeWith('write', args, { permissions: open, canonical }).action).toBe('ask')
  })

  test('SHELL-11 a place that may be reached outside counts from its own root', () => {
    const facts = { allowedPaths: ['/workspace', '/srv/.work/app'] }
    const write = (path: string) =>
      judgeWith('write', { path, content: 'x' }, { permissions: open, facts }).action
    expect(write('/srv/.work/app/src/a.ts')).toBe('allow')
    expect(write('/srv/.work/app/.git/hooks/pre-push')).toBe('ask')
  })

  test('SHELL-11 reading one, and writing ordinary files, stays silent', () => {
    for (const path of ['package.json', 'src/a.ts', '.gitignore', 'Makefile']) {
      const verdict = judgeWith('write', { path, content: 'x' }, { permissions: open })
      expect(verdict.action).toBe('allow')
    }
    for (const path of ['.git/config', '.npmrc', 'AGENTS.md']) {
      expect(judgeWith('read', { path }, { permissions: open }).action).toBe('allow')
    }
  })

  test('GATE-10 with the gate switched off nothing asks', () => {
    const args = { path: '.npmrc', content: 'x' }
    expect(judgeWith('write', args, { permissions: { '*': 'allow' } }).action).toBe('allow')
  })
})

describe('commands', () => {
  const verdictOf = (command: string) => judgeBash(command, { permissions: open })

  test.each([
    'tar -xf a.tar --index-file=.git/hooks/pre-commit',
    'tar --index-file .git/hooks/pre-commit -xf a.tar',
    'tar -C .git/hooks -xf a.tar',
    'tar -xC.git/hooks -f a.tar',
    'unzip -d .vscode a.zip',
    'unzip a.zip -d.vscode',
    'patch .bashrc a.patch',
    'patch -o .bashrc a b',
    'split -b 9 a .git/hooks/',
    'gcc -o .git/hooks/pre-commit a.c',
    'gcc -o.git/hooks/pre-commit a.c',
    'go build -o .husky/pre-commit ./cmd',
    'gunzip .git/hooks/pre-commit.gz',
    'chmod +x .git/hooks/pre-commit',
    'cp a .npmrc',
    'cp -t .git/hooks a',
    'cp --target-directory=.git/hooks a',
    'mv a .envrc',
    'ln -s ../a .git/hooks/pre-commit',
    'install -m 755 a .git/hooks/pre-commit',
    'rsync -a hooks/ .git/hooks/',
    'dd if=a of=.bashrc',
    'tee .profile < a',
    'touch .envrc',
    'truncate -s 0 .gitattributes',
    'curl -o .bashrc https://x.example/y',
    'curl --output=.bashrc https://x.example/y',
    'wget -O .bashrc https://x.example/y',
    'sed -i s/a/b/ .npmrc',
    'sed -ni s/a/b/p .npmrc',
    'sed --in-place=.bak s/a/b/ .npmrc',
    'sort -o .npmrc a',
    'yq -i .a=1 .pre-commit-config.yaml',
    'mkdir -p .git/hooks',
    'git mv a .husky/pre-commit',
    'git checkout main -- .husky',
    'git restore .gitattributes',
    'git diff --output=.bashrc',
    'npm pack --pack-destination .husky',
    'ffmpeg -i a .bashrc',
    './build .git/hooks',
    './cat .git/hooks/x',
    'strangetool .GIT/Config',
    'strangetool a --into=.Git/hooks',
    'strangetool ~/.bashrc',
    'strangetool src/../.git/config',
    'strangetool .g*t/config',
    'strangetool .{git,x}/config',
    'strangetool AGENTS.md',
    'cd .git && strangetool hooks/pre-commit',
    'cd .git/hooks; cp ../../a pre-commit',
    'cd src && cp a ../.husky/pre-commit',
    'sudo cp a .npmrc',
    'nohup tee .npmrc',
    'find . -name x -fprint .npmrc',
    ...[
      'docker cp c:/x/.npmrc .',
      'docker container cp c:/x/.npmrc .',
      'podman cp c:/x/.bashrc ./',
    ],
    ...['kubectl -n a cp p:/x/.bashrc sub', 'docker compose cp web:/x/AGENTS.md .'],
    ...['docker cp c:/x/. .', 'docker cp c:/x/a.txt .vscode', 'docker cp c:/x/hook .git/hooks/'],
    ...[
      'scp h:.npmrc .',
      'scp scp://h/.npmrc .',
      'rsync h:x/.envrc .',
      'rsync rsync://h/m/.envrc .',
    ],
    ...[
      'wget http://u/.gitconfig',
      'wget u/%2egitconfig',
      'wget --no-verbose http://u/a/.npmrc?x=1',
    ],
    ...[
      'wget -r http://u/',
      'wget -qm http://u/',
      'wget -nvx http://u/a',
      'wget --recurs http://u/a',
    ],
    ...[
      'wget --content-disposition http://u/a',
      'wget --trust-server-names http://u/a',
      'wget -i a',
    ],
    ...['curl -O http://u/.npmrc', 'curl -fsSLO http://u/AGENTS.md', 'curl --remote-name u/.npmrc'],
    ...['curl -OJ http://u/a', 'curl -O --remote-header-name http://u/a', 'curl -OK a'],
    ...['aria2c http://u/a', 'http --download http://u/a', 'xh -d http://u/a', 'axel http://u/a'],
    ...[
      'git clone http://u/.vscode',
      'git clone --depth 1 http://u/.VSCode.git',
      'hg clone u://h/.vscode',
    ],
    ...[
      'git clone http://u/.vscode/.git/',
      'git submodule add http://u/.husky',
      'svn co http://u/.idea',
    ],
    ...['git clone git@u:a/.vscode.git', 'gh repo clone a/.vscode', 'gh repo clone a/b .vscode'],
    ...['gh release download v1', 'gh release download v1 -O .npmrc', 'glab release download v1'],
    ...['aws s3 cp s3://b/.npmrc .', 'aws s3 sync s3://b .', 'aws s3 cp --recursive s3://b/x ./'],
    ...[
      'gsutil cp gs://b/.npmrc .',
      'gcloud storage cp gs://b/.npmrc a',
      's3cmd get s3://b/a?/.npmrc',
    ],
    ...['azcopy copy https://a.example/c/.npmrc?sig=x .', 'rclone copyurl -a http://u/a .'],
    ...["wget 'ftp://u/AGENTS.md;type=a'", 'az storage blob download-batch -s c -d .', 'croc abc'],
    ...[
      'wormhole receive',
      'oras pull r/x',
      'cd sub && wget http://u/.npmrc',
      'sudo wget u/.npmrc',
    ],
    ...['yt-dlp -o .bashrc http://u/a', 'rsync -a h:x/ .', 'strangeloader --url=http://u/x/.npmrc'],
  ])('SHELL-11 %s asks with high risk and offers no *Always*', (command) => {
    const { action, risk, alwaysPatterns } = verdictOf(command)
    expect([action, risk, alwaysPatterns]).toEqual(['ask', 'high', []])
  })

  test('SHELL-12 a rule for exactly `source venv/bin/activate` is enough', () => {
    for (const command of ['source venv/bin/activate', '. .venv/bin/activate'])
      expect(judgeBash(command, { permissions: { bash: { [command]: 'allow' } } }).action).toBe(
        'allow',
      )
  })

  test.each([
    'cat .npmrc',
    'head -5 .git/config',
    'grep -rn x .github',
    'ls -la .git/hooks',
    'diff .npmrc other/.npmrc',
    'git add .gitattributes .husky/pre-commit AGENTS.md',
    'git commit -m ".npmrc: drop the registry" .npmrc',
    'git diff .github/workflows/ci.yml',
    'git log --oneline -- .eslintrc.json',
    'wc -l .eslintrc.json',
    'stat .bashrc',
    'tar --exclude=.git -czf out.tgz src',
    'tar --exclude .git -czf out.tgz src',
    'rsync -a --exclude .git src out',
    "find . -name '.git' -prune -print",
    "rg --hidden -g '!.git' TODO",
    'rm -rf .next .pytest_cache',
    'du -sh .git',
    'jq . .mcp.json',
    "sed -n '1,5p' .npmrc",
    'cp .gitignore other/.gitignore',
    'mkdir -p .cache/x',
    'cp src/a.ts src/b.ts',
    'gcc -o out/a a.c',
    'eslint src --ext .ts,.tsx',
    "sqlite3 x.db '.schema t'",
    'cd .github && ls',
    'echo .npmrc',
    'nix build .#app',
    ...['docker cp web:/app/out.txt out.txt', 'docker compose cp web:/app/out.txt .'],
    ...[
      'docker cp web:/app/.npmrc npmrc.txt',
      'docker cp a.txt web:/app/.npmrc',
      'docker cp c:/x out',
    ],
    ...[
      'curl -fsSL https://x.example/AGENTS.md',
      'curl http://u/.npmrc',
      'http GET http://u/.npmrc',
    ],
    ...[
      'wget https://x.example/a.tar.gz',
      'wget -q --spider http://u/.npmrc',
      'wget -qO- http://u/.npmrc',
    ],
    ...['git clone https://u.example/.dotfiles dotfiles', 'git clone https://u.example/a/app.git'],
    ...['git remote add o https://u.example/a/.github', 'scp h:a.txt .', 'scp -r h:x .'],
    ...['aws s3 sync s3://b data', 'aws s3 sync . s3://b', 'aws s3 cp s3://b/.npmrc npmrc.txt'],
    ...["gh release download v1 -p '*.tar.gz'", 'rsync -a . h:x/', 'rsync -a h:x .'],
  ])('SHELL-11 SHELL-12 %s stays silent', (command) => {
    expect(verdictOf(command).reasons).toEqual([])
  })

  /** Programs that write names from within what they read, each as it is called to do so. */
  const unpacking = [
    ...['tar xf a.tar', 'tar -xzf a.tgz -C out', 'tar --extract -f a', 'bsdtar -xf - < a.tar'],
    ...['cat a.tar | tar x', 'star -x f=a.tar', 'cpio -idm < a.cpio', 'rpm2cpio a.rpm | cpio -id'],
    ...[
      'pax -r < a',
      'unzip a.zip',
      'unzip -oq a.zip -d out',
      'jar xf a.jar',
      'jar --extract -f a',
    ],
    ...['ar x lib.a', 'ar xv lib.a', '7z x a.7z', '7za e -y a.7z', 'unrar x a.rar', 'rar e a.rar'],
    ...['lha xf a.lzh', 'arj x a.arj', 'unar a.rar', 'dtrx a', 'aunpack a', 'atool -x a', 'unp a'],
    ...[
      'patool extract a',
      'ouch d a.zip',
      'uudecode a.uu',
      'unshar a',
      'munpack m',
      'ripmime -i m',
    ],
    ...['cabextract a.cab', 'innoextract a.exe', 'msiextract a.msi', 'binwalk -e a.bin'],
    ...[
      'dpkg -x a.deb out',
      'dpkg-deb -R a.deb out',
      'unsquashfs a.sqfs',
      'asar extract a.asar out',
    ],
    ...["debugfs -R 'rdump / .' a.img", 'jmod extract a.jmod', 'gunzip -N a.gz', 'gzip -dN a.gz'],
    ...['sqlite3 -Axf a.sqlar', 'cmake -E tar xf a.tar', 'pdfdetach -saveall a.pdf'],
    ...['patch -p1 -i a.diff', 'git apply a.diff', 'git -C sub am a.mbox', 'hg import a.diff'],
    ...[
      'gh run download 1',
      'nice tar xf a.tar',
      'ls *.tar | xargs -n1 tar xf',
      'cd sub && 7z x ../a',
    ],
    // Options that are values, operands, taken back, or spelled in another way.
    ...['tar xf a.tar --exclude -O', 'tar xf a.tar -- -O', 'tar -xf a.tar -C -O', 'tar --ge -f a'],
    ...['patch --version-control=simple -i a.diff', 'patch -d --dry-run -i a.diff'],
    ...['git apply --stat --apply a.diff', 'git apply --check --no-check a.diff', 'git am --skip'],
    ...['gh run -R o/r download', '7z X a.7z', '7z x a.7z -- -so', 'unrar X a.rar'],
    ...['unzip -v- a.zip', 'unzip -l-l a.zip', 'unzip a.zip -d -l', 'unzip a.zip x -l'],
    ...['gzip -dN -S -c a.gz', 'gzip -d --na a.gz', 'gpg --use-emb -d a.gpg', 'cpio --ext < a'],
    ...['patool --verbosity 1 extract a.zip', 'ar --target=b vx lib.a', 'atool -X d a.zip'],
    // What is kept in packages, documents, films, images and backups.
    ...[
      'gem unpack a.gem',
      'pdftk a.pdf unpack_files output d',
      'gpgtar -x a',
      'phar extract -f a',
    ],
    ...["ffmpeg -dump_attachment:t '' -i a.mkv", 'mkvextract a.mkv attachments 1'],
    ...['tshark -r a --export-objects http,d', 'isoinfo -X -i a.iso', 'mcopy -s -i a.img ::/ d'],
    ...['borg extract r::a', 'restic restore latest --target d', 'helm pull c --untar'],
    ...[
      'npx asar extract a d',
      'npx -y @electron/asar@3 e a d',
      'npx -p pack asar x a d',
      '7-zip x a',
    ],
    ...["exiv2 -r '%f' rename a.jpg", 'jhead -n%f a.jpg', 'splitdiff -a a.diff', 'sasquatch a'],
    // Names that a pattern makes.
    ...["rename 's/^/./' npmrc", "rename '' . npmrc", "mmv npmrc '.#1'", "prename 'y/a/b/' x"],
    ...["exiftool '-filename=%f%c' npmrc", 'exiftool -d .%Y -filename=%f a.jpg'],
    ...['/usr/bin/tar xf a.tar', "sh -c 'unzip a.zip'", 'find . -name "*.zip" -exec unzip {} \\;'],
    ...[
      'cp activate env/bin/',
      'cp activate *.c env/bin/',
      'install -t venv/bin x',
      'cp a mise/conf.d',
    ],
  ]
  test.each(unpacking)(
    'SHELL-11 THREAT-30 %s, whose names stand in what it reads, asks with high risk and offers no *Always*',
    (command) => {
      const { action, risk, alwaysPatterns } = verdictOf(command)
      expect([action, risk, alwaysPatterns]).toEqual(['ask', 'high', []])
    },
  )

  test('SHELL-11 SHELL-12 listing, testing, packing and printing stay silent', () => {
    for (const command of [
      ...['tar tf a.tar', 'tar czf box.tar box', 'tar xOf a.tar x', 'tar -xOf a.tar x | head'],
      ...[
        'unzip -l a.zip',
        'unzip -p a.zip x | head',
        'zip -r a.zip src',
        '7z l a.7z',
        '7z t a.7z',
      ],
      ...['jar tf a.jar', 'jar cf a.jar x', 'ar t lib.a', 'ar rcs lib.a x.o', 'unrar l a.rar'],
      ...['git stash apply', 'git apply --check a.diff', 'git commit -m apply', 'gunzip -k a.gz'],
      ...['dpkg -l', 'cabextract -l a.cab', 'unsquashfs -l a.sqfs', 'gh run list', 'xz -dk a.xz'],
      ...['ls env/bin', 'cat venv/bin/activate'],
    ])
      expect([command, verdictOf(command).reasons]).toEqual([command, []])
  })

  test('SHELL-11 a file or folder fetched from an address asks by its name, however the address is spelled', () => {
    const names = [
      '.npmrc',
      '.gitconfig',
      'AGENTS.md',
      '.vscode',
      'opencode.json',
      'sitecustomize.py',
    ]
    const fetchers = [
      'wget',
      'wget -q',
      'curl -sSLO',
      'git clone',
      'svn co',
      'aws s3 cp',
      'strangeloader',
    ]
    const letter = (way: number) => (character: string) => {
      if (way === 0) return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
      return way === 1 ? character.toUpperCase() : character
    }
    const ways = fc.array(fc.nat({ max: 4 }), { minLength: 20, maxLength: 20 })
    const end = fc.constantFrom('', '/', '?a=b', '#c', '?a=/b', '/?a')
    const place = fc.constantFrom(
      'http://u.example/',
      'HTTPS://u:p@h:8/a/b/',
      'ftp://h/',
      's3://b/x/',
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...fetchers),
        place,
        fc.constantFrom(...names),
        ways,
        end,
        (fetcher, from, name, chosen, tail) => {
          const spelled = [...name].map((one, at) => letter(chosen[at] ?? 4)(one)).join('')
          const command = `${fetcher} '${from}${spelled}${tail}'${fetcher === 'aws s3 cp' ? ' .' : ''}`
          const { action, risk, alwaysPatterns } = verdictOf(command)
          expect([command, action, risk, alwaysPatterns]).toEqual([command, 'ask', 'high', []])
        },
      ),
      { numRuns: 400 },
    )
  })

  test.each(['azure-pipelines|-a', 'mise|.a', 'jenkinsfile|.a', 'lefthook|-a', 'a|.profile'])(
    'SHELL-09 a long name that begins as one does costs linear time: %s',
    (parts) => {
      const [start = '', more = ''] = parts.split('|')
      const name = `${start}${more.repeat(4_900)}!`
      const least = leastProcessorMs(() => void verdictOf(`cp ${name} x`), 50)
      expect(least).toBeLessThan(50)
    },
  )

  test('SHELL-09 a thousand addresses are looked at within their time', () => {
    const text = `docker cp ${'c:/x/.npmrc '.repeat(5_000)}.`
    const least = leastProcessorMs(() => void verdictOf(text), 50)
    expect(least).toBeLessThan(50)
    expect(verdictOf(`wget ${'http://u/a '.repeat(300)}`).action).toBe('ask')
  })
})
