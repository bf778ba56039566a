/** Work in portions. The caller may do something else whenever it yields, or never resume. */
export type InPortions<Result> = AsyncGenerator<undefined, Result>;

/** Does all of the work. */
export async function wholeOf<Result>(work: InPortions<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = await work.next();
    if (done === true) return value;
  }
}
