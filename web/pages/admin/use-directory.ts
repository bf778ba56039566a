import { useInfiniteQuery } from '@tanstack/react-query';

/** A list of everything of one kind on the instance, page by page, with a search. */
export function useDirectory<Page extends { readonly cursor: number | null }>(
  name: string,
  search: string,
  read: (asked: { readonly search: string; readonly cursor: number }) => Promise<Page>,
) {
  return useInfiniteQuery({
    queryKey: ['person', name, search],
    queryFn: ({ pageParam: cursor }) => read({ search, cursor }),
    initialPageParam: 0,
    getNextPageParam: ({ cursor }) => cursor,
  });
}
