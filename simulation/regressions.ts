/**
 * Seeds that show a fault that the engine once had, when it is put back, with its cause. They run first.
 * A change of the simulated world gives each seed another run; the seeds were last found anew in November 2026.
 */
export const regressions: readonly { seed: number; fault: string }[] = [
  { seed: 13, fault: 'whoever sent an input a second time, after its turn, waited for ever for the end of that turn' },
  { seed: 26, fault: 'a record without events began the numbers of transient events anew, and two had the same' },
  { seed: 54, fault: 'a subscriber that read an event from the log before it was published got it twice' },
  { seed: 57, fault: 'a model was asked with the history of a later moment, for an answer that nobody waited for' },
  { seed: 59, fault: 'a call whose outcome was lost in the process was run again, though it wrote' },
  { seed: 120, fault: 'a call had the outcome of an early read that came before a change of its own answer' },
  {
    seed: 153,
    fault: 'an input sent after a cancel was added without a turn, as the canceller had said of older ones',
  },
  { seed: 363, fault: 'a claim that could not be given back ended in a rejection that nobody looked at' },
  { seed: 371, fault: 'an early read went on after its answer was withdrawn, as its call had been told of twice' },
  { seed: 390, fault: 'an outcome of a call from before it was judged again counted for what it did after' },
  { seed: 463, fault: 'a cancel waited for ever for a model that was still being prepared' },
  { seed: 1605, fault: 'a call that had waited for another one began by a judgement under rules that had changed' },
  { seed: 2242, fault: 'a cancel waited for ever for a tool that was finding out what had become of its call' },
  { seed: 5080, fault: 'an early read began by a judgement under rules that had changed' },
  { seed: 5782, fault: 'a call that an allow rule let through began after that rule was removed' },
  { seed: 7201, fault: 'a judgement made before a rule in the same record as the answer counted after it' },
  { seed: 18554, fault: 'a turn with a target took an end that itself put something open on the list' },
  { seed: 25332, fault: 'an early read began while the end of its turn was being written' },
  { seed: 30787, fault: 'an early read counted although a rule asked about it meanwhile' },
];
