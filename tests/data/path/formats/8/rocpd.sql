CREATE TABLE "rocpd_metadata" (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
INSERT INTO "rocpd_metadata" VALUES
(1, 'schema_version', '3'),
(2, 'uuid', ''),
(3, 'guid', '00000000');
CREATE TABLE "rocpd_string" (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
INSERT INTO "rocpd_string" VALUES
(1, '00000000', 'aten::mm'),
(2, '00000000', 'MARKER_CORE_RANGE_API'),
(3, '00000000', 'aten::mm_impl'),
(4, '00000000', 'hipLaunchKernel'),
(5, '00000000', 'HIP_RUNTIME_API_EXT'),
(6, '00000000', 'aten::item'),
(7, '00000000', 'hipMemcpyAsync'),
(8, '00000000', 'hipStreamSynchronize'),
(9, '00000000', 'KERNEL_DISPATCH'),
(10, '00000000', 'MEMORY_COPY_DEVICE_TO_HOST'),
(11, '00000000', 'MEMORY_COPY');
CREATE TABLE "rocpd_info_node" (id INTEGER PRIMARY KEY, guid TEXT, hash BIGINT, machine_id TEXT, hostname TEXT);
INSERT INTO "rocpd_info_node" VALUES
(1, '00000000', 1, 'm', 'host');
CREATE TABLE "rocpd_info_process" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, command TEXT);
INSERT INTO "rocpd_info_process" VALUES
(1000, '00000000', 1, 1, 1000, 'python3 train.py');
CREATE TABLE "rocpd_info_thread" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, tid INTEGER, name TEXT);
INSERT INTO "rocpd_info_thread" VALUES
(1000, '00000000', 1, 1, 1000, 1000, NULL),
(1001, '00000000', 1, 1, 1000, 1001, NULL);
CREATE TABLE "rocpd_info_agent" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER, name TEXT, model_name TEXT, product_name TEXT, extdata TEXT);
INSERT INTO "rocpd_info_agent" VALUES
(0, '00000000', 1, 1000, 'CPU', 0, 'EPYC', NULL, NULL, '{}'),
(4, '00000000', 1, 1000, 'GPU', 4, 'gfx942', NULL, 'AMD Instinct MI300X', '{}');
CREATE TABLE "rocpd_info_kernel_symbol" (id INTEGER PRIMARY KEY, guid TEXT, kernel_name TEXT, display_name TEXT);
INSERT INTO "rocpd_info_kernel_symbol" VALUES
(1, '00000000', 'gemv2T_kernel_val', 'gemv2T_kernel_val'),
(2, '00000000', 'cutlass_80_tensorop_f16_s16816gemm', 'cutlass_80_tensorop_f16_s16816gemm'),
(3, '00000000', 'ampere_sgemm_128x64_tn', 'ampere_sgemm_128x64_tn');
CREATE TABLE "rocpd_event" (id INTEGER PRIMARY KEY, guid TEXT, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER);
INSERT INTO "rocpd_event" VALUES
(1, '00000000', 2, 0, 0, 0),
(2, '00000000', 2, 0, 0, 0),
(3, '00000000', 5, 1, 0, 1),
(4, '00000000', 2, 0, 0, 0),
(5, '00000000', 2, 0, 0, 0),
(6, '00000000', 5, 2, 0, 2),
(7, '00000000', 2, 0, 0, 0),
(8, '00000000', 5, 3, 0, 3),
(9, '00000000', 2, 0, 0, 0),
(10, '00000000', 5, 4, 0, 4),
(11, '00000000', 5, 5, 0, 5),
(12, '00000000', 5, 6, 0, 6),
(13, '00000000', 2, 0, 0, 0),
(14, '00000000', 2, 0, 0, 0),
(15, '00000000', 5, 7, 0, 7),
(16, '00000000', 2, 0, 0, 0),
(17, '00000000', 5, 8, 0, 8),
(18, '00000000', 5, 9, 0, 9),
(19, '00000000', 2, 0, 0, 0),
(20, '00000000', 5, 10, 0, 10),
(21, '00000000', 2, 0, 0, 0),
(22, '00000000', 5, 11, 0, 11),
(23, '00000000', 2, 0, 0, 0),
(24, '00000000', 5, 12, 0, 12),
(25, '00000000', 5, 13, 0, 13),
(26, '00000000', 5, 14, 0, 14),
(27, '00000000', 9, 1, 0, 1),
(28, '00000000', 9, 2, 0, 2),
(29, '00000000', 9, 7, 0, 7),
(30, '00000000', 9, 11, 0, 11),
(31, '00000000', 11, 5, 0, 5),
(32, '00000000', 11, 3, 0, 3),
(33, '00000000', 11, 8, 0, 8),
(34, '00000000', 11, 12, 0, 12);
CREATE TABLE "rocpd_region" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, event_id INTEGER);
INSERT INTO "rocpd_region" VALUES
(1, '00000000', 1, 1000, 1001, 1000031449, 1000043777, 1, 1),
(2, '00000000', 1, 1000, 1001, 1000033225, 1000042679, 3, 2),
(3, '00000000', 1, 1000, 1001, 1000035620, 1000041551, 4, 3),
(4, '00000000', 1, 1000, 1000, 1000045354, 1000061952, 1, 4),
(5, '00000000', 1, 1000, 1000, 1000048985, 1000060004, 3, 5),
(6, '00000000', 1, 1000, 1000, 1000052537, 1000056661, 4, 6),
(7, '00000000', 1, 1000, 1001, 1000064771, 1000147313, 6, 7),
(8, '00000000', 1, 1000, 1001, 1000065291, 1000068733, 7, 8),
(9, '00000000', 1, 1000, 1000, 1000067191, 1000082854, 6, 9),
(10, '00000000', 1, 1000, 1001, 1000068733, 1000146680, 8, 10),
(11, '00000000', 1, 1000, 1000, 1000068888, 1000073285, 7, 11),
(12, '00000000', 1, 1000, 1000, 1000073285, 1000081321, 8, 12),
(13, '00000000', 1, 1000, 1000, 1000130340, 1000152570, 1, 13),
(14, '00000000', 1, 1000, 1000, 1000136898, 1000149318, 3, 14),
(15, '00000000', 1, 1000, 1000, 1000141204, 1000147269, 4, 15),
(16, '00000000', 1, 1000, 1000, 1000158841, 1000177514, 6, 16),
(17, '00000000', 1, 1000, 1000, 1000160080, 1000163396, 7, 17),
(18, '00000000', 1, 1000, 1000, 1000163396, 1000176009, 8, 18),
(19, '00000000', 1, 1000, 1001, 1000175729, 1000187301, 1, 19),
(20, '00000000', 1, 1000, 1000, 1000177514, 1000178414, 8, 20),
(21, '00000000', 1, 1000, 1001, 1000178577, 1000186082, 3, 21),
(22, '00000000', 1, 1000, 1001, 1000181107, 1000184558, 4, 22),
(23, '00000000', 1, 1000, 1001, 1000209501, 1000308507, 6, 23),
(24, '00000000', 1, 1000, 1001, 1000210096, 1000213798, 7, 24),
(25, '00000000', 1, 1000, 1001, 1000213798, 1000307650, 8, 25),
(26, '00000000', 1, 1000, 1001, 1000308507, 1000309407, 8, 26);
CREATE TABLE "rocpd_kernel_dispatch" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT, end BIGINT, private_segment_size INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER);
INSERT INTO "rocpd_kernel_dispatch" VALUES
(1, '00000000', 1, 1000, 1000, 4, 1, 1, 13, 13, 1000040735, 1000141369, 0, 0, 256, 1, 1, 67584, 1, 1, 27),
(2, '00000000', 1, 1000, 1000, 4, 1, 2, 7, 7, 1000060958, 1000070970, 0, 0, 256, 1, 1, 67584, 1, 1, 28),
(5, '00000000', 1, 1000, 1000, 4, 2, 5, 7, 7, 1000148076, 1000169267, 0, 0, 256, 1, 1, 67584, 1, 1, 29),
(7, '00000000', 1, 1000, 1000, 4, 3, 7, 13, 13, 1000189074, 1000302346, 0, 0, 256, 1, 1, 67584, 1, 1, 30);
CREATE TABLE "rocpd_memory_copy" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
INSERT INTO "rocpd_memory_copy" VALUES
(3, '00000000', 1, 1000, 1000, 1000075342, 1000077167, 10, 0, 4, 4, 0, 7, 31),
(4, '00000000', 1, 1000, 1000, 1000141901, 1000142526, 10, 0, 4, 4, 0, 13, 32),
(6, '00000000', 1, 1000, 1000, 1000169799, 1000171855, 10, 0, 4, 4, 0, 7, 33),
(8, '00000000', 1, 1000, 1000, 1000302878, 1000303496, 10, 0, 4, 4, 0, 13, 34);
