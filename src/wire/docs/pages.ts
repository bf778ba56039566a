/** A page of the documentation. */
export interface DocPage {
  /** Its path below `/docs/`: empty, or with a slash at its end. */
  readonly path: string;
  /** Its name in the navigation. */
  readonly label: string;
  /** Its text in the folder `docs`, in Markdown. Null if the program makes it. */
  readonly file: string | null;
}

export interface DocGroup {
  readonly title: string;
  readonly pages: readonly DocPage[];
}

export const CRON_PAGE = 'cron/';
export const INTEGRATIONS_PAGE = 'integrations/';

/** All pages in the order of the navigation, without the pages of single kinds of integration. */
export const DOC_GROUPS: readonly DocGroup[] = [
  {
    title: 'Begin',
    pages: [
      { path: '', label: 'How it works', file: 'guide/start.md' },
      { path: 'clients/', label: 'Add it to your job', file: 'guide/clients.md' },
      { path: 'jobs/', label: 'Wrap a job', file: 'jobs.md' },
    ],
  },
  {
    title: 'Checks',
    pages: [
      { path: 'pinging/', label: 'Pinging', file: 'guide/pinging.md' },
      { path: 'schedules/', label: 'Schedules', file: 'schedules.md' },
      { path: CRON_PAGE, label: 'Try a schedule', file: 'guide/cron.md' },
      { path: 'filters/', label: 'Filters', file: 'guide/filters.md' },
      { path: 'runs/', label: 'Rules for runs', file: 'guide/runs.md' },
    ],
  },
  {
    title: 'Alerts',
    pages: [
      { path: 'alerts/', label: 'Who is told, and when', file: 'guide/alerts.md' },
      { path: INTEGRATIONS_PAGE, label: 'Integrations', file: 'guide/integrations.md' },
    ],
  },
  {
    title: 'Showing others',
    pages: [
      { path: 'badges/', label: 'Badges', file: 'guide/badges.md' },
      { path: 'status-pages/', label: 'Status pages', file: 'guide/status-pages.md' },
      { path: 'wall-displays/', label: 'Wall displays', file: 'guide/wall-displays.md' },
    ],
  },
  {
    title: 'Projects',
    pages: [
      { path: 'projects/', label: 'Projects and teams', file: 'guide/projects.md' },
      { path: 'automation/', label: 'API and automation', file: 'guide/automation.md' },
      // Another route serves it, with a viewer of its own.
      { path: 'api/', label: 'API reference', file: null },
    ],
  },
  {
    title: 'Running the service',
    pages: [
      { path: 'installing/', label: 'Installing', file: 'installing.md' },
      { path: 'self-hosting/', label: 'Operating', file: 'operating.md' },
      { path: 'upgrading/', label: 'Upgrading', file: 'upgrading.md' },
      { path: 'moving/', label: 'Moving in', file: 'moving.md' },
      { path: 'reliability/', label: 'Reliability', file: 'reliability.md' },
      { path: 'security/', label: 'Security', file: 'security.md' },
    ],
  },
];

export const DOC_PAGES: readonly DocPage[] = DOC_GROUPS.flatMap(({ pages }) => pages);

/** The pages of Healthchecks, to which old links lead, and ours that tell the same. */
export const FORMER_PAGES: Readonly<Record<string, string>> = {
  introduction: '',
  configuring_checks: 'schedules/',
  configuring_notifications: 'alerts/',
  projects_teams: 'projects/',
  http_api: 'pinging/',
  apiv1: 'api/',
  apiv2: 'api/',
  apiv3: 'api/',
  slug_urls: 'pinging/#by-name-instead-of-uuid',
  monitoring_cron_jobs: 'clients/#crontab',
  monitoring_systemd_tasks: 'clients/#systemd',
  signaling_failures: 'pinging/#failure',
  measuring_script_run_time: 'pinging/#start-and-duration',
  attaching_logs: 'pinging/#output-of-the-job',
  cloning_checks: 'projects/',
  autoprovisioning: 'pinging/#checks-that-make-themselves',
  configuring_prometheus: 'automation/#prometheus',
  reliability_tips: 'clients/#tips',
  bash: 'clients/#bash',
  arduino: 'clients/',
  network_routers: 'clients/',
  csharp: 'clients/',
  email: 'pinging/#by-e-mail',
  github_actions: 'clients/#github-actions',
  go: 'clients/#go',
  javascript: 'clients/#nodejs',
  php: 'clients/',
  powershell: 'clients/#powershell',
  python: 'clients/#python',
  ruby: 'clients/',
  resources: 'automation/',
  self_hosted: 'self-hosting/',
  self_hosted_configuration: 'self-hosting/#settings',
  self_hosted_docker: 'self-hosting/',
};
