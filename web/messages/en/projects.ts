/** Texts of the list of projects. */
export const projects = {
  title: 'Projects',
  none: 'You have no projects.',
} as const;
