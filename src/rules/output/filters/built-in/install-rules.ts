import type { FilterRule } from '../filter-rule.ts'
import { launched } from './command-patterns.ts'
import { imageNoise, imageSteps } from './image-noise.ts'

/** Rules for package managers. */
export const installRules: readonly FilterRule[] = [
  {
    name: 'npm-install',
    match: {
      regex: String.raw`^(?:npm|yarn|pnpm|bun)(?: -\S+)*(?: (?:install|i|ci|add|update|up|upgrade|remove|rm|uninstall|dedupe|prune)(?: |$)|$)`,
    },
    strategy: {
      type: 'strip_noise',
      patterns: [
        '^npm (?:warn|WARN) deprecated ',
        '^npm (?:notice|http|sill|verb|timing|info)(?: |$)',
        '^npm (?:warn|WARN) (?:EBADENGINE|skipping|optional|tarball|config|using|exec)(?: |$)',
        String.raw`^\d{1,6} packages? (?:is|are) looking for funding$`,
        '^ {2}run .npm fund. for details$',
        '^(?:Progress: resolved |Packages are hard linked|Packages are copied| *(?:Content-addressable|Virtual) store is at|Lockfile is up to date|Already up to date|Resolving: total|Scope: all )',
        String.raw`^ *WARN +(?:deprecated |\d{1,6} deprecated subdependencies found)`,
        String.raw`^\++$`,
        String.raw`^\[\d/\d\] `,
        '^(?:yarn install v|yarn add v|info (?:Direct dependencies|All dependencies|No lockfile found|Visit ))',
        String.raw`^(?:➤|\S) YN0000: (?:[┌└]|· Yarn \d)`,
        '^➤ YN(?:0019|0085): ',
        '^➤ YN0013: .*will be fetched',
        '^[├└]─ ',
      ],
    },
  },
  {
    name: 'pip-install',
    match: {
      regex: launched(
        String.raw`(?:pip|pip3|pip3\.\d{1,2}|uv pip|uv) (?:install|download|wheel|sync|add|uninstall)`,
      ),
    },
    strategy: {
      type: 'strip_noise',
      patterns: [
        '^(?:Requirement already satisfied:|Looking in indexes:|Looking in links:|Found existing installation:|Created temporary directory:|Removed build tracker:) ?',
        '^ {2,6}(?:Downloading|Using cached|Obtaining dependency information|Preparing metadata|Installing build dependencies|Getting requirements to build|Checking if build backend|Created wheel for|Stored in directory|Found existing installation|Successfully uninstalled|Link requires|Resolved )',
        '^ {2,}[━─╸╺]{2}',
        String.raw`^\[notice\]|^WARNING: (?:Running pip as the 'root' user|You are using pip version|There was an error checking the latest version of pip)`,
        String.raw`^(?:Resolved|Prepared|Audited|Uninstalled|Downloading) \S`,
        String.raw`^ [+~] \S`,
      ],
      steps: [
        String.raw`^(?:Collecting|Obtaining|Processing|Building) \S`,
        '^ {2,6}(?:Building wheel for|Attempting uninstall:|Uninstalling) ',
        '^(?:Building wheels for|Installing) collected packages: ',
      ],
    },
  },
  {
    name: 'brew',
    match: {
      regex: '^brew (?:install|reinstall|upgrade|update|uninstall|fetch|cleanup|bundle)(?: |$)',
    },
    strategy: {
      type: 'strip_noise',
      patterns: [
        '^==> (?:Auto-updating|Updating Homebrew|Downloaded|Running .brew cleanup|Installing dependencies for|Auto-updated|Verifying|Moving|Linking|Tapping|Cleanup)',
        String.raw`^(?:Already downloaded|Disable this behaviour|Hide these hints|Removing|Updated \d{1,4} taps?|==> (?:New|Updated|Deleted) (?:Formulae|Casks))`,
        String.raw`^##[#=O -]*(?:\d{1,3}\.\d%)?$`,
      ],
      steps: ['^==> (?:Downloading|Fetching|Pouring|Installing) '],
    },
  },
]

/** Options before a subcommand. A word that is not an option is the value of the one before, so each line parses one way. */
const options = String.raw`(?: --?[^\s-]\S*(?: [^\s-]\S*)?)*`

/** Rules for services, infrastructure and their logs. */
export const operationsRules: readonly FilterRule[] = [
  {
    name: 'log-dedup',
    match: {
      regex: String.raw`^(?:journalctl|dmesg|(?:docker|podman)(?: compose)?(?: -\S+ \S+)? logs|docker-compose logs|kubectl${options} logs|heroku logs|pm2 logs|(?:cat|tail|head|zcat|less|tac) .*(?:\.log(?:[ .]|$)|/log/|syslog))`,
    },
    strategy: { type: 'dedup' },
  },
  {
    name: 'docker-compose',
    match: {
      regex: `^(?:docker compose|docker-compose|podman-compose)${options} (?:up|down|start|stop|restart|pull|create)(?: |$)`,
    },
    strategy: {
      type: 'strip_noise',
      patterns: [
        '^ *[⠀-⣿✔] (?:Network|Container|Volume|Image|[0-9a-f]{12}) .*(?:Created|Creating|Started|Starting|Running|Recreated|Recreate|Pulled|Pulling|Removed|Removing|Stopped|Stopping|Healthy|Waiting|Download complete|Pull complete|Extracting|Verifying Checksum|Already exists)',
        // The last state of each (Started, Removed) is the result and stays.
        String.raw`^ (?:Network|Container|Volume|Image) \S{1,256} {1,2}(?:Creating|Created|Starting|Running|Recreate|Recreated|Pulling|Pulled|Building|Built|Removing|Stopping|Stopped|Exited|Waiting|Healthy) *$`,
        String.raw`^ [\w.-]{1,128} (?:Pulling|Pulled|Building|Built) *$`,
        '^ *[0-9a-f]{12} (?:Pulling|Waiting|Download|Verifying|Extracting|Pull complete|Already exists)',
        String.raw`^[\w.-]{1,128} +\| *$`,
        // Compose may build images first.
        ...imageNoise,
      ],
      steps: [...imageSteps],
    },
  },
  {
    name: 'terraform',
    match: {
      regex: String.raw`^(?:terraform|tofu|terragrunt)(?: -\S+)* (?:init|plan|apply|destroy|refresh|validate|import|run-all)(?: |$)`,
    },
    strategy: {
      type: 'strip_noise',
      patterns: [
        String.raw`: (?:Refreshing state\.\.\.|Reading\.\.\.|Read complete after |Still (?:creating|destroying|modifying|reading)\.\.\.|(?:Creating|Destroying|Modifying)\.\.\.|Preparing import\.\.\.)`,
        '^- (?:Finding|Installing|Installed|Reusing previous version|Using previously-installed|Using) ',
        '^(?:Initializing (?:the backend|provider plugins|modules|HCP Terraform|Terraform Cloud)|Acquiring state lock|Releasing state lock|Refreshing Terraform state)',
        String.raw`^(?:Partner and community providers are signed|If you'd like to know more about provider signing|https://(?:www|developer)\.(?:terraform|hashicorp)\.(?:io|com)/(?:docs|terraform)/\S{0,256}signing)`,
        String.raw`^(?:If you ever set or change modules|rerun this command to reinitialize|commands will detect it and remind you|so that Terraform can guarantee|you run "terraform init" in the future|Terraform has created a lock file|selections it made above\. Include this file)`,
        '^─+$',
      ],
    },
  },
  {
    name: 'kubectl',
    match: {
      regex: `^(?:kubectl|oc|k)${options} (?:get|describe|top|apply|delete|create|rollout|api-resources|events|explain|patch|scale|label|annotate|wait|drain)(?: |$)`,
    },
    strategy: {
      type: 'truncate',
      max_lines: 160,
      head: 110,
      tail: 30,
      keep: [
        'CrashLoopBackOff|InvalidImageName|ContainerCreating|PodInitializing|Init:|ImagePullBackOff|ErrImage|Error|OOMKilled|Evicted|Pending|Unknown|NotReady|Warning|Failed|Terminating|Unhealthy',
        // Fewer ready than desired, except completed jobs.
        String.raw`\s(?:0/[1-9]|1/[2-9]|2/[3-9]|3/[4-9]|4/[5-9]|5/[6-9]|6/[7-9]|7/[89]|8/9|\d/\d\d)\s+[^\sC]`,
      ],
    },
  },
]
