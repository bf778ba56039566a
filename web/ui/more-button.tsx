import { Button } from './button.tsx';

/** Reads more of a list that is read page by page, while there is more. */
export function MoreButton({
  list: { hasNextPage, isFetchingNextPage, fetchNextPage },
  children,
}: {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
  readonly children: string;
}) {
  if (!hasNextPage) return null;
  return (
    <div>
      <Button size="small" isBusy={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {children}
      </Button>
    </div>
  );
}
