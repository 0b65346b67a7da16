/* Tasks are found by their numbers, after growth and removal too. */

#include "backends/common/task_table.h"
#include "support/test.h"

enum { TASKS = 3000 };

static int tasks[TASKS];

TEST(tasks_are_found)
{
    struct task_table t = {0};
    size_t seen = 0;
    assert_null(task_table_find(&t, 7));
    for (int i = 0; i < TASKS; i++)
        task_table_add(&t, 100 * i + 1, &tasks[i]);
    for (int i = 0; i < TASKS; i++)
        assert_ptr_equal(task_table_find(&t, 100 * i + 1), &tasks[i]);
    assert_null(task_table_find(&t, 2));
    TASK_TABLE_EACH(&t, p)
    {
        seen++;
        if ((p->tid / 100) % 2)
            task_table_remove(&t, p->tid, p->task);
    }
    assert_int_equal(seen, TASKS);
    assert_int_equal(t.n, TASKS / 2);
    for (int i = 0; i < TASKS; i++)
        assert_ptr_equal(task_table_find(&t, 100 * i + 1), i % 2 ? NULL : &tasks[i]);
    task_table_free(&t);
    assert_int_equal(t.n, 0);
    assert_null(task_table_find(&t, 1));
}

/* The kernel gives a number again before its former owner is forgotten. */
TEST(the_newest_of_a_number_is_found)
{
    struct task_table t = {0};
    task_table_add(&t, 5, &tasks[0]);
    assert_ptr_equal(task_table_find(&t, 5), &tasks[0]);
    task_table_add(&t, 5, &tasks[1]);
    assert_ptr_equal(task_table_find(&t, 5), &tasks[1]);
    task_table_remove(&t, 5, &tasks[0]);
    assert_ptr_equal(task_table_find(&t, 5), &tasks[1]);
    task_table_remove(&t, 5, &tasks[1]);
    assert_null(task_table_find(&t, 5));
    task_table_free(&t);
}
