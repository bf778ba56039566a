import { Skeleton } from '../../ui/skeleton.tsx';

/** Lines of text that have not come yet. */
export function Skeletons() {
  return (
    <div className="grid gap-8 px-8 py-6">
      {['w-120', 'w-90', 'w-110', 'w-80'].map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
  );
}
