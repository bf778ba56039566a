/** The pages as they were built: beside the sources in a checkout, among the program in the package. */
export const PAGES = new URL(
  import.meta.url.endsWith('.ts') ? '../../web/dist/' : '../pages/',
  import.meta.url,
);
