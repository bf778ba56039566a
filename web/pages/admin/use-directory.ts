import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { get } from '../../app/api.ts';

interface DirectoryPage {
  /** For the next page. Null at the end. */
  readonly cursor: string | number | null;
}

/** A list of everything of one kind on the instance, page by page, and what is looked for in it. */
export function useDirectory<Page extends DirectoryPage>(kind: 'accounts' | 'projects', search: string) {
  const options = infiniteQueryOptions({
    queryKey: ['admin', kind, search],
    queryFn: ({ pageParam }) =>
      get<Page>(`/admin/${kind}?${new URLSearchParams({ search, cursor: String(pageParam) })}`),
    initialPageParam: '' as string | number,
    getNextPageParam: ({ cursor }) => cursor,
  });
  return useInfiniteQuery(options);
}
