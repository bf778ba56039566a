/*
 * Every text of the pages. A page loads the areas that it names and no others, because each area is a file of its own.
 */
export * from './en/account.ts';
export * from './en/acts.ts';
export * from './en/admin.ts';
export * from './en/alerts.ts';
export * from './en/badges.ts';
export * from './en/check.ts';
export * from './en/check-acts.ts';
export * from './en/check-editor.ts';
export * from './en/checks.ts';
export * from './en/components.ts';
export * from './en/crontab.ts';
export * from './en/demo.ts';
export * from './en/docs.ts';
export * from './en/entrance.ts';
export * from './en/first-run.ts';
export * from './en/integrations.ts';
export * from './en/interruptions.ts';
export * from './en/live.ts';
export * from './en/palette.ts';
export * from './en/projects.ts';
export * from './en/quiet-times.ts';
export * from './en/settings.ts';
export * from './en/shell.ts';
export * from './en/status-pages.ts';
export * from './en/timeline.ts';
export * from './en/views.ts';
export * from './en/walls.ts';
