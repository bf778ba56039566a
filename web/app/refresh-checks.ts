/** What is known of the server's answers, as far as it matters here. */
interface KnownAnswers {
  invalidateQueries(filter: { readonly queryKey: readonly string[] }): Promise<void>;
}

/**
 * Makes stale what shows checks of the project, after something was done to one of them. Pages call a check by its UUID or
 * by its unique key, so what is known of any check is stale. Only what is shown is read again.
 */
export async function refreshChecks(queries: KnownAnswers, project: string): Promise<void> {
  const stale = [['project', project], ['check'], ['person', 'ownProjects']];
  await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })));
}
