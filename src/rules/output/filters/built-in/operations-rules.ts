import type { FilterRule } from '../filter-rule.ts'
import { imageNoise, imageSteps } from './image-noise.ts'

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
