import { Skeleton } from '../../ui/skeleton.tsx';

/** Lines of text that have not come yet. */
export function Skeletons() {
  return (
    <div className="grid gap-4 px-4 py-3">
      {['w-60', 'w-45', 'w-55', 'w-40'].map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
  );
}
